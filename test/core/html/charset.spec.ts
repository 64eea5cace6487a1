import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encodingOfLabel } from '../../../src/core/html/charset.js';

const bytes = (text: string, encoding: BufferEncoding = 'utf8') => new Uint8Array(Buffer.from(text, encoding));

describe('the encoding of a page (HTML standard section 13.2.3.2)', () => {
  it.each([
    ['byte order mark before the header', bytes('\ufeffé'), 'text/html; charset=latin1', 'utf-8', 'bom', 'é'],
    ['UTF-16 by its mark', bytes('\ufeffé', 'utf16le'), null, 'utf-16le', 'bom', 'é'],
    ['header', bytes('é', 'latin1'), 'text/html; charset=ISO-8859-1', 'windows-1252', 'header', 'é'],
    [
      'header before meta',
      bytes('<meta charset=koi8-r>é'),
      'text/html;charset=utf-8',
      'utf-8',
      'header',
      '<meta charset=koi8-r>é',
    ],
    [
      'unknown header label, meta counts',
      bytes('<meta charset=utf-8>é'),
      'text/html;charset=wat',
      'utf-8',
      'meta',
      '<meta charset=utf-8>é',
    ],
    ['nothing told', bytes('é'), 'text/html', 'windows-1252', 'default', 'Ã©'],
    ['nothing told, no header', bytes('é'), null, 'windows-1252', 'default', 'Ã©'],
    [
      'XML declaration',
      bytes('<?xml version="1.0" encoding="ISO-8859-2"?>'),
      'application/xhtml+xml',
      'iso-8859-2',
      'xml',
      '<?xml version="1.0" encoding="ISO-8859-2"?>',
    ],
    [
      'XML declaration behind blanks',
      bytes('\n <?xml version="1.0" encoding="ISO-8859-2"?>'),
      'application/xhtml+xml',
      'iso-8859-2',
      'xml',
      '\n <?xml version="1.0" encoding="ISO-8859-2"?>',
    ],
    [
      'XML declaration of UTF-16 that is read byte by byte',
      bytes('<?xml version="1.0" encoding="UTF-16"?>é'),
      'application/xhtml+xml',
      'utf-8',
      'xml',
      '<?xml version="1.0" encoding="UTF-16"?>é',
    ],
    ['XML declaration in HTML', bytes("<?xml encoding='utf-8'?>é"), null, 'utf-8', 'xml', "<?xml encoding='utf-8'?>é"],
    [
      'XML declaration of UTF-16 in HTML',
      bytes('<?xml encoding="utf-16"?>é'),
      'text/html',
      'utf-8',
      'xml',
      '<?xml encoding="utf-16"?>é',
    ],
    [
      'XML declaration in HTML, meta counts',
      bytes('<?xml encoding="utf-8"?><meta charset=koi8-r>'),
      'text/html',
      'koi8-r',
      'meta',
      '<?xml encoding="utf-8"?><meta charset=koi8-r>',
    ],
    ['XML without declaration', bytes('<html>é'), 'application/xhtml+xml', 'utf-8', 'xml', '<html>é'],
    [
      'the replacement encoding counts as none',
      bytes('é'),
      'text/html; charset=iso-2022-kr',
      'windows-1252',
      'default',
      'Ã©',
    ],
    ['nothing at all', new Uint8Array(), null, 'windows-1252', 'default', ''],
  ])('%s', (_, content, header, charset, source, text) => {
    expect(decode(content, header)).toEqual({ text, charset, source });
  });

  it.each([
    [-1, 'windows-1252'],
    [0, 'utf-8'],
    [50, 'utf-8'],
    [100, 'utf-8'],
  ])('with a confidence of %i undeclared UTF-8 is read as %s', (confidence, charset) => {
    expect(decode(bytes('né'), null, 'windows-1252', confidence).charset).toBe(charset);
  });

  it.each([
    ['ASCII only', bytes('abc'), 'windows-1252'],
    ['a character cut off at the end', bytes('né né').subarray(0, 6), 'utf-8'],
    ['Latin-1', bytes('né', 'latin1'), 'windows-1252'],
    ['one cut character and nothing else', bytes('é').subarray(0, 1), 'windows-1252'],
  ])('a guess at %s', (_, content, charset) => {
    expect(decode(content, null, 'windows-1252', 50).charset).toBe(charset);
  });

  it('falls back where the configured default names no encoding', () => {
    expect(decode(bytes('a'), null, 'klingon').charset).toBe('windows-1252');
  });

  it('survives a meta element that the prescan reads beyond its end', () => {
    expect(decode(bytes('<meta http-equiv=content-type content="charset">'), null).charset).toBe('windows-1252');
    expect(decode(bytes('<meta content="charset="><meta charset=koi8-r>'), null).charset).toBe('koi8-r');
  });

  it.each([
    ['latin1', 'windows-1252'],
    ['UTF8', 'utf-8'],
    ['', null],
    ['x'.repeat(1000), null],
    ['utf-32', null],
  ])('label %s is %s', (label, encoding) => {
    expect(encodingOfLabel(label)).toBe(encoding);
  });

  it('never throws and always gives well-formed text', () => {
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
