import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { typeOfDocument } from '../../../src/core/page/content-type.js';
import { parseMimeType } from '../../../src/core/page/mime.js';
import { serializeMimeType } from '../../support/serialize-mime.js';
import { unicodeText } from '../../support/unicode-text.js';

const html = '<!doctype html><title>t</title>';
const xhtml = '<html xmlns="http://www.w3.org/1999/xhtml" lang="en"><head>';
const png = '\x89PNG\r\n\x1a\n\0\0\0\rIHDR';
const type = (contentType: string | null, content: string, name = 'http://e.com/x') =>
  typeOfDocument({ contentType, name, content: Buffer.from(content, 'latin1') });

describe('the type of a document (mime.type.magic)', () => {
  it.each([
    ['text/html', html, 'text/html'],
    ['TEXT/HTML; charset=utf-8', 'no markup', 'text/html'],
    ['text/html', png, 'image/png'],
    ['text/html', '%PDF-1.7', 'application/pdf'],
    ['text/plain', 'GIF89a...', 'image/gif'],
    ['text/html', '\xff\xd8\xff\xe0', 'image/jpeg'],
    ['text/html', 'RIFF\0\0\0\0WEBPVP8', 'image/webp'],
    ['text/plain', html, 'text/plain'],
    ['application/xhtml+xml', html, 'application/xhtml+xml'],
    ['text/xml', `<?xml version="1.0"?><!DOCTYPE html>${xhtml}`, 'application/xhtml+xml'],
    ['application/xml; charset=utf-8', xhtml, 'application/xhtml+xml'],
    ['application/xml', '<html xmlns="x">', 'application/xml'],
    ['application/xml', `<page>${xhtml}</page>`, 'application/xml'],
    ['application/msword', 'only text', 'text/plain'],
    ['application/octet-stream', html, 'text/html'],
    ['application/octet-stream', '\x01\x02', 'application/octet-stream'],
    ['application/json', '{}', 'application/json'],
    ['image/png', png, 'image/png'],
    ['image/png', 'an error page', 'image/png'],
    ['application/javascript', 'var x', 'application/javascript'],
    ['application/x-tex', 'text', 'application/x-tex'],
    [null, html, 'text/html'],
    [null, '  \n<!-- c --><p>', 'text/html'],
    [null, '<?xml version="1.0"?><rss/>', 'application/rss+xml'],
    [null, '<?xml version="1.0"?><html xmlns="x">', 'application/xhtml+xml'],
    [null, '\xef\xbb\xbf<html>', 'text/html'],
    [null, '\xef\xbb\xbf\xef\xbb\xbf<html>', 'text/html'],
    [null, '\xff\xfe<\0h\0t\0m\0l\0>\0', 'text/html'],
    [null, 'words', 'text/plain'],
    [null, '\0\x01', 'application/octet-stream'],
    ['*/*', html, 'text/html'],
    ['nonsense', html, 'text/html'],
    ['text/plain', 'BZh91AY&SY', 'application/x-bzip2'],
    ['text/html', 'BZhang Wei wrote this.', 'text/html'],
    ['text/plain', 'ID3\x04\0\0', 'audio/mpeg'],
    ['text/html', 'ID3 tags hold the title.', 'text/html'],
    ['text/plain', '\0\0\0\x20ftypisom', 'video/mp4'],
    [null, 'The ftyp box comes first.', 'text/plain'],
    ['application/pdf', '\r\n%PDF-1.7', 'application/pdf'],
    ['application/pdf', '\xef\xbb\xbf%PDF-1.4', 'application/pdf'],
    ['application/pdf', 'only text', 'text/plain'],
    ['text/plain', '\r\n%PDF-1.7', 'text/plain'],
  ])('header %s with content %j is %s', (header, content, expected) => {
    expect(type(header, content)).toBe(expected);
  });

  it.each([
    ['http://e.com/a.docx?x=.html', 'application/vnd.openxmlformats-officedocument.wordprocessingml.document'],
    ['http://e.com/a', 'application/zip'],
  ])('a ZIP file named %s is %s', (name, expected) => {
    expect(type(null, 'PK\x03\x04', name)).toBe(expected);
  });

  it.each([
    ['<center>Hello</center>', 'file:///docs/a.HTML', 'text/html'],
    ['<section>Hello', 'http://e.com/a.htm?b', 'text/html'],
    ['{"a": 1}', 'file:///docs/a.json', 'text/plain'],
    ['\0', 'file:///docs/a.html', 'text/html'],
    ['<?xml version="1.0"?><page/>', 'file:///docs/a.html', 'application/xml'],
  ])('%j without a header, named %s, is %s', (content, name, expected) => {
    expect(type(null, content, name)).toBe(expected);
  });

  it.each([
    [1_019, 'application/pdf'],
    [1_020, 'text/plain'],
  ])('finds the PDF signature within the first 1,024 bytes: after %i bytes it is %s', (before, expected) => {
    expect(type('application/pdf', `${'\n'.repeat(before)}%PDF-1.7`)).toBe(expected);
  });

  it.each([
    [null, '\r\n%PDF-1.7', 'application/pdf'],
    ['text/html', '\r\n%PDF-1.7', 'application/pdf'],
    ['application/octet-stream', '\r\n%PDF-1.7', 'application/pdf'],
    ['text/html', `${html}A file begins with %PDF-`, 'text/html'],
    [null, 'only text', 'text/plain'],
  ])('header %s with content %j, named x.pdf, is %s', (header, content, expected) => {
    expect(type(header, content, 'http://e.com/x.pdf')).toBe(expected);
  });

  it('is taken from header and name when the content is not examined', () => {
    expect(typeOfDocument({ contentType: 'text/html', name: 'x', content: null })).toBe('text/html');
    expect(typeOfDocument({ contentType: null, name: 'http://e.com/a.pdf#p', content: null })).toBe('application/pdf');
    expect(typeOfDocument({ contentType: '', name: 'http://e.com/', content: null })).toBe('application/octet-stream');
  });

  it('has the form type/subtype for any input', () => {
    fc.assert(
      fc.property(fc.option(unicodeText()), fc.string(), fc.uint8Array(), (contentType, name, content) => {
        expect(typeOfDocument({ contentType, name, content })).toMatch(/^[^/]+\/[^/]+$/);
      }),
    );
  });
});

describe('media types (RFC 9110 §8.3.1)', () => {
  it('are unchanged after serializing and parsing (WHATWG MIME Sniffing 4.5)', () => {
    const token = fc.stringMatching(/^[a-z0-9!#$%&'*+.^_`|~-]{1,8}$/);
    fc.assert(
      fc.property(token, token, fc.dictionary(token, fc.stringMatching(/^[ -~]{0,10}$/)), (a, b, parameters) => {
        const mime = { type: a, subtype: b, parameters: new Map(Object.entries(parameters)) };
        expect(parseMimeType(serializeMimeType(mime))).toEqual(mime);
      }),
    );
  });
  it('are refused above a maximum length', () => {
    expect(parseMimeType(`text/html;x=${'y'.repeat(9000)}`)).toBeNull();
  });
});
