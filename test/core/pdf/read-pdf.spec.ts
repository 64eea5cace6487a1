import { describe, expect, it } from 'vitest';
import { isoDate, type PdfInput, readPdf } from '../../../src/core/pdf/read-pdf.js';
import {
  encryptedPdf,
  lines,
  makePdf,
  type PdfOptions,
  type PdfPageContent,
  pdfOf,
  pdfStream,
} from '../../support/pdf.js';

type Limits = Partial<Pick<PdfInput, 'maxPages' | 'maxText' | 'maxLinks'>>;

const readBytes = (content: Uint8Array, limits: Limits = {}) =>
  readPdf({ content, url: 'http://a.test/dir/b.pdf', maxPages: 10, maxText: 1_000, maxLinks: 10, ...limits });

const read = (pages: readonly PdfPageContent[], options?: PdfOptions, limits?: Limits) =>
  readBytes(makePdf(pages, options), limits);

/** Numbers of sections of ISO 32000-1. */
describe('a date of a PDF (7.9.4)', () => {
  it.each<[rule: string, text: string, date: string]>([
    ['has a time zone', "D:20240102030405+01'00'", '2024-01-02T02:04:05.000Z'],
    ['needs no apostrophe at the end', "D:20240102030405-01'30", '2024-01-02T04:34:05.000Z'],
    ['may have hours only in its zone', 'D:20240102030405+01', '2024-01-02T02:04:05.000Z'],
    ['may be of UTC', 'D:20240102030405Z', '2024-01-02T03:04:05.000Z'],
    ['is of UTC without a zone', 'D:20240102030405', '2024-01-02T03:04:05.000Z'],
    ['may end after the minutes', 'D:202401020304', '2024-01-02T03:04:00.000Z'],
    ['may end after the hours', 'D:2024010203', '2024-01-02T03:00:00.000Z'],
    ['may end after the day', 'D:20240102', '2024-01-02T00:00:00.000Z'],
    ['may end after the month', 'D:202405', '2024-05-01T00:00:00.000Z'],
    ['may end after the year', 'D:2024', '2024-01-01T00:00:00.000Z'],
    ['is dropped with an impossible month', 'D:20241302', ''],
    ['is dropped with a day that its month lacks', 'D:20240230', ''],
    ['is dropped without its mark', '20240102', ''],
    ['is dropped in words', '2 January 2024', ''],
  ])('%s', (_rule, text, date) => expect(isoDate(text)).toBe(date));
});

describe('the text of a PDF', () => {
  it('has a line for each line of its pages', async () => {
    expect((await read([lines('one', 'two'), lines('three')])).text).toBe('one\ntwo\nthree');
  });

  it('has neither empty lines nor pages, nor control characters, nor several blanks', async () => {
    expect((await read([lines('  a \t b', ' ', 'c'), lines(''), lines('d')])).text).toBe('a b\nc\nd');
  });

  it.each<[limits: Limits, text: string]>([
    [{ maxText: 7 }, 'one\ntwo'],
    [{ maxText: 8 }, 'one\ntwo'],
    [{ maxText: 9 }, 'one\ntwo\nt'],
    [{ maxText: 2 }, 'on'],
    [{ maxPages: 1 }, 'one\ntwo'],
  ])('is cut by the limits %j', async (limits, text) => {
    expect((await read([lines('one', 'two'), lines('three')], {}, limits)).text).toBe(text);
  });
});

it('a PDF with more text than is kept, on a page of many lines, is read on for its links', async () => {
  // Two lines after another, as what is below the page is no text of it.
  const operators = Array.from({ length: 1_000 }, (_, n) => `(line ${n}) Tj 0 ${n % 2 === 0 ? -14 : 14} Td`);
  const many = { operators: `BT /F1 12 Tf 72 720 Td ${operators.join(' ')} ET` };
  const { text, links } = await read([many, { ...many, links: ['http://b.test/'] }, many], {}, { maxText: 1_500 });
  expect(text).toMatch(/^line 0\nline 1\n/);
  expect(text.length).toBeGreaterThan(1_490);
  expect(links).toEqual(['http://b.test/']);
});

describe('the links of a PDF (12.6.4.7)', () => {
  const linked = (...links: string[]): PdfPageContent => ({ ...lines('a'), links });

  it.each<[rule: string, pages: PdfPageContent[], links: string[]]>([
    ['are absolute', [linked('http://b.test/x')], ['http://b.test/x']],
    [
      'are relative to the document',
      [linked('x', '/y', '?z')],
      ['dir/x', 'y', 'dir/b.pdf?z'].map((path) => `http://a.test/${path}`),
    ],
    [
      'are those of all pages, with duplicates',
      [linked('http://b.test/'), linked('http://b.test/')],
      ['http://b.test/', 'http://b.test/'],
    ],
    ['are of any scheme: filters decide', [linked('mailto:a@b.test')], ['mailto:a@b.test']],
    ['are none that are no URL', [linked('http://')], []],
    ['have a scheme where they begin with www.', [linked('www.b.test/x')], ['http://www.b.test/x']],
    ['are of UTF-8', [linked('http://b.test/caf\u00c3\u00a9?q=\u00c3\u00a4')], ['http://b.test/caf%C3%A9?q=%C3%A4']],
  ])('%s', async (_rule, pages, links) => expect((await read(pages)).links).toEqual(links));

  it('are as many as are allowed, also where the text is complete', async () => {
    const pages = [linked('/1', '/2'), linked('/3', '/4'), linked('/5')];
    const limits = { maxText: 1, maxLinks: 3 };
    expect((await read(pages, {}, limits)).links).toEqual([1, 2, 3].map((n) => `http://a.test/${n}`));
  });
});

describe('the metadata of a PDF (14.3.3)', () => {
  it('has the names that Tika gives them', async () => {
    const info = {
      Title: '(A  title)',
      Author: '(Jane Roe)',
      Subject: '(About)',
      Keywords: '(a, b)',
      Creator: '(A writer)',
      Producer: '(A maker)',
      CreationDate: '(D:2024)',
      ModDate: '(D:202405)',
    };
    expect(await read([lines('a'), lines('b')], { info })).toMatchObject({
      title: 'A title',
      metadata: {
        'dc:title': 'A title',
        'dc:creator': 'Jane Roe',
        'dc:subject': 'About',
        'meta:keyword': 'a, b',
        'xmp:CreatorTool': 'A writer',
        'pdf:producer': 'A maker',
        'pdf:PDFVersion': '1.7',
        'dcterms:created': '2024-01-01T00:00:00.000Z',
        'dcterms:modified': '2024-05-01T00:00:00.000Z',
        'xmpTPg:NPages': '2',
      },
    });
  });

  it('is that of XMP where the document information has none (ISO 16684-1)', async () => {
    const xmp = `<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><rdf:Description>
      <dc:title><rdf:Alt><rdf:li xml:lang="x-default">A title</rdf:li></rdf:Alt></dc:title>
      <dc:creator><rdf:Seq><rdf:li>Jane Roe</rdf:li><rdf:li>John Doe</rdf:li></rdf:Seq></dc:creator>
      <pdf:Producer>A maker</pdf:Producer><xmp:CreateDate>2024-01-02T03:04:05+01:00</xmp:CreateDate>
      </rdf:Description></rdf:RDF></x:xmpmeta>`;
    const { title, metadata } = await readBytes(
      pdfOf([
        '<< /Type /Catalog /Pages 2 0 R /Metadata 3 0 R >>',
        '<< /Type /Pages /Count 0 /Kids [] >>',
        pdfStream('/Type /Metadata /Subtype /XML', xmp),
      ]),
    );
    expect(title).toBe('A title');
    expect(metadata).toMatchObject({
      'dc:title': 'A title',
      'dc:creator': 'Jane Roe, John Doe',
      'pdf:producer': 'A maker',
      'dcterms:created': '2024-01-02T02:04:05.000Z',
    });
  });

  it('has no empty entries', async () => {
    const { title, metadata } = await read([lines('a')], { info: { Title: '( )', CreationDate: '(yesterday)' } });
    expect([title, metadata]).toEqual(['', { 'pdf:PDFVersion': '1.7', 'xmpTPg:NPages': '1' }]);
  });

  it('has 1,000 characters of an entry at most', async () => {
    const { title } = await read([lines('a')], { info: { Title: `(${'x'.repeat(1_001)})` } });
    expect(title).toBe('x'.repeat(1_000));
  });
});

describe('a page of a PDF that cannot be read', () => {
  const page = (contents: number) => `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 99 99] /Contents ${contents} 0 R
    /Resources << /Font << /F1 << /Type /Font /Subtype /Type1 /BaseFont /Helvetica >> >> >> >>`;
  const pdf = (...kids: string[]) =>
    pdfOf([
      '<< /Type /Catalog /Pages 2 0 R >>',
      `<< /Type /Pages /Count ${kids.length} /Kids [${kids.map((_, at) => `${at + 4} 0 R`).join(' ')}] >>`,
      pdfStream('', 'BT /F1 12 Tf 9 9 Td (read) Tj ET'),
      ...kids,
    ]);

  it('is left out', async () => {
    expect((await readBytes(pdf(page(3), '7'))).text).toBe('read');
  });

  it('fails the PDF where no other page has text or links', async () => {
    await expect(readBytes(pdf('7'))).rejects.toThrow(/^the PDF cannot be read: /);
  });
});

describe('a PDF is refused', () => {
  it.each<[what: string, bytes: Uint8Array, message: string]>([
    ['with a password (7.6)', encryptedPdf(), 'the PDF is encrypted with a password'],
    ['that is none', Buffer.from('<html>'), 'the PDF cannot be read: Invalid PDF structure.'],
    ['that is empty', Buffer.alloc(0), 'the PDF cannot be read: The PDF file is empty, i.e. its size is zero bytes.'],
  ])('%s', async (_what, bytes, message) => {
    await expect(readBytes(bytes)).rejects.toThrow(new Error(message));
  });
});
