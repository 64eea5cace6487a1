import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, decodeXml, encodingOfLabel } from '../../../src/core/html/charset.js';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => new Uint8Array(Buffer.from(text, encoding));

describe('the encoding of a page (HTML §13.2.3.2)', () => {
  it.each([
    ['prefers the byte order mark to the header', bytes('\ufeffé'), 'text/html; charset=latin1', 'utf-8', 'bom', 'é'],
    ['is UTF-16 by its byte order mark', bytes('\ufeffé', 'utf16le'), null, 'utf-16le', 'bom', 'é'],
    ['is that of the header', bytes('é', 'latin1'), 'text/html; charset=ISO-8859-1', 'windows-1252', 'header', 'é'],
    [
      'prefers the header to a meta element',
      bytes('<meta charset=koi8-r>é'),
      'text/html;charset=utf-8',
      'utf-8',
      'header',
      '<meta charset=koi8-r>é',
    ],
    [
      'is that of the meta element when the label in the header is unknown',
      bytes('<meta charset=utf-8>é'),
      'text/html;charset=wat',
      'utf-8',
      'meta',
      '<meta charset=utf-8>é',
    ],
    ['is windows-1252 when nothing declares it', bytes('é'), 'text/html', 'windows-1252', 'default', 'Ã©'],
    ['is windows-1252 without a header', bytes('é'), null, 'windows-1252', 'default', 'Ã©'],
    [
      'is that of an XML declaration',
      bytes('<?xml version="1.0" encoding="ISO-8859-2"?>'),
      'application/xhtml+xml',
      'iso-8859-2',
      'xml',
      '<?xml version="1.0" encoding="ISO-8859-2"?>',
    ],
    [
      'is that of an XML declaration after white space',
      bytes('\n <?xml version="1.0" encoding="ISO-8859-2"?>'),
      'application/xhtml+xml',
      'iso-8859-2',
      'xml',
      '\n <?xml version="1.0" encoding="ISO-8859-2"?>',
    ],
    [
      'is UTF-8 when an XML declaration in ASCII bytes names UTF-16',
      bytes('<?xml version="1.0" encoding="UTF-16"?>é'),
      'application/xhtml+xml',
      'utf-8',
      'xml',
      '<?xml version="1.0" encoding="UTF-16"?>é',
    ],
    [
      'is that of an XML declaration in HTML',
      bytes("<?xml encoding='utf-8'?>é"),
      null,
      'utf-8',
      'xml',
      "<?xml encoding='utf-8'?>é",
    ],
    [
      'is UTF-8 when an XML declaration in HTML names UTF-16',
      bytes('<?xml encoding="utf-16"?>é'),
      'text/html',
      'utf-8',
      'xml',
      '<?xml encoding="utf-16"?>é',
    ],
    [
      'is UTF-16 when the characters of an XML declaration are two bytes each, without a byte order mark',
      bytes('<?xml version="1.0"?>é', 'utf16le'),
      'text/html',
      'utf-16le',
      'xml',
      '<?xml version="1.0"?>é',
    ],
    [
      'prefers a meta element after the first 1,024 bytes to an XML declaration in HTML',
      bytes(`<?xml encoding="utf-8"?>${' '.repeat(1024)}<meta charset=koi8-r>`),
      'text/html',
      'koi8-r',
      'meta',
      `<?xml encoding="utf-8"?>${' '.repeat(1024)}<meta charset=koi8-r>`,
    ],
    [
      'prefers a meta element to an XML declaration in HTML',
      bytes('<?xml encoding="utf-8"?><meta charset=koi8-r>'),
      'text/html',
      'koi8-r',
      'meta',
      '<?xml encoding="utf-8"?><meta charset=koi8-r>',
    ],
    ['is UTF-8 for XML without a declaration', bytes('<html>é'), 'application/xhtml+xml', 'utf-8', 'xml', '<html>é'],
    [
      'ignores a label of the replacement encoding',
      bytes('é'),
      'text/html; charset=iso-2022-kr',
      'windows-1252',
      'default',
      'Ã©',
    ],
    ['is windows-1252 for an empty page', new Uint8Array(), null, 'windows-1252', 'default', ''],
  ])('%s', (_, content, header, charset, source, text) => {
    expect(decode(content, header)).toEqual({ text, charset, source });
  });

  it.each([
    [-1, 'windows-1252'],
    [0, 'utf-8'],
    [50, 'utf-8'],
    [100, 'utf-8'],
  ])('of undeclared UTF-8 with confidence %i is %s', (confidence, charset) => {
    expect(decode(bytes('né'), null, 'windows-1252', confidence).charset).toBe(charset);
  });

  it.each([
    ['windows-1252 for ASCII', bytes('abc'), 'windows-1252'],
    ['utf-8 for a text cut off inside a character', bytes('né né').subarray(0, 6), 'utf-8'],
    ['windows-1252 for Latin-1', bytes('né', 'latin1'), 'windows-1252'],
    ['windows-1252 for a single cut-off character', bytes('é').subarray(0, 1), 'windows-1252'],
  ])('is guessed from the bytes: %s', (_, content, charset) => {
    expect(decode(content, null, 'windows-1252', 50).charset).toBe(charset);
  });

  it('is windows-1252 when the configured default is not a known encoding', () => {
    expect(decode(bytes('a'), null, 'klingon').charset).toBe('windows-1252');
  });

  it('ignores a meta element whose charset has no value', () => {
    expect(decode(bytes('<meta http-equiv=content-type content="charset">'), null).charset).toBe('windows-1252');
    expect(decode(bytes('<meta content="charset="><meta charset=koi8-r>'), null).charset).toBe('koi8-r');
  });

  it.each([
    ['latin1', 'windows-1252'],
    ['UTF8', 'utf-8'],
    ['', null],
    ['x'.repeat(1000), null],
    ['utf-32', null],
  ])('of label %s is %s', (label, encoding) => {
    expect(encodingOfLabel(label)).toBe(encoding);
  });

  it('decodes any bytes to well-formed text', () => {
    const header = fc.option(
      fc.oneof(fc.string(), fc.constantFrom('text/html;charset=utf-16', 'a/b+xml', 'text/html;charset=gbk')),
    );
    fc.assert(
      fc.property(
        fc.uint8Array({ maxLength: 300 }),
        header,
        fc.integer({ min: -1, max: 100 }),
        (content, type, confidence) => {
          expect(decode(content, type, 'windows-1252', confidence).text.isWellFormed()).toBe(true);
        },
      ),
    );
  });
});

describe('the encoding of an XML document (RFC 7303 §3)', () => {
  const declared = (label: string) => `<?xml version="1.0" encoding="${label}"?><a>é</a>`;
  const utf16be = (text: string) => bytes(text, 'utf16le').map((_, at, all) => all[at ^ 1]!);
  it.each([
    [
      'prefers the byte order mark to all else',
      bytes(`\ufeff${declared('latin1')}`),
      'text/xml; charset=koi8-r',
      'utf-8',
      'bom',
    ],
    ['is UTF-16 by its byte order mark', bytes('\ufeff<a>é</a>', 'utf16le'), null, 'utf-16le', 'bom'],
    [
      'prefers the header to the declaration',
      bytes(declared('koi8-r'), 'latin1'),
      'text/xml; charset=latin1',
      'windows-1252',
      'header',
    ],
    ['is UTF-16 by the zero before its first character', utf16be(declared('utf-16')), null, 'utf-16be', 'xml'],
    ['is UTF-16 by the zero after its first character', bytes(declared('utf-16'), 'utf16le'), null, 'utf-16le', 'xml'],
    [
      'is that of the declaration',
      bytes(declared('iso-8859-1'), 'latin1'),
      'text/xml; charset=wat',
      'windows-1252',
      'xml',
    ],
    ['is UTF-8 without any', bytes('<a>é</a>'), 'text/xml', 'utf-8', 'xml'],
  ])('%s', (_, content, contentType, charset, source) => {
    const read = decodeXml(content, contentType);
    expect([read.charset, read.source, read.text.endsWith('<a>é</a>')]).toEqual([charset, source, true]);
  });
});
