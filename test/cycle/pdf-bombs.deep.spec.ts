import { deflateSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { bombPdf, lines, makePdf, pdfOf, pdfStream } from '../support/pdf.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';
import { type CrawledPage, crawled } from './crawled.js';

/**
 * PDFs that are small when sent and without bounds when parsed. Each costs at most its limit (`parser.timeout`,
 * `parser.worker.memory`, `parser.pdf.pages`, `parser.text.limit`), and does not affect other pages.
 */

const pdf = (bytes: Buffer): Handler => page(bytes, { 'content-type': 'application/pdf' });
const catalog = '<< /Type /Catalog /Pages 2 0 R >>';
const tree = (kids: string, count: number): string => `<< /Type /Pages /Count ${count} /Kids [${kids}] >>`;
const pageOf = (contents: string, resources: string): string =>
  `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents ${contents} /Resources << ${resources} >> >>`;
const font = '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>';
const words = 'BT /F1 12 Tf 72 720 Td (some words) Tj ET';
const fonts = '/Font << /F1 5 0 R >>';

/** 2^40 drawings of one text: each form draws the next one twice. */
function doubling(): Buffer {
  const forms = Array.from({ length: 40 }, (_, i) => {
    const next = `${7 + i} 0 R`;
    const entries = `/Type /XObject /Subtype /Form /BBox [0 0 612 792] /Resources << ${fonts} /XObject << /X ${next} >> >>`;
    return pdfStream(entries, i === 39 ? words : '/X Do /X Do');
  });
  const objects = [catalog, tree('3 0 R', 1), pageOf('4 0 R', `${fonts} /XObject << /X 6 0 R >>`)];
  return pdfOf([...objects, pdfStream('', '/X Do /X Do'), font, ...forms]);
}

const onePage = (contents: string, more: readonly string[] = [], trailer = ''): Buffer =>
  pdfOf([catalog, tree('3 0 R', 1), pageOf('4 0 R', fonts), contents, font, ...more], trailer);

/** A cross-reference table with too many entries, or without end. */
const withTable = (table: string): Buffer => {
  const whole = onePage(pdfStream('', words)).toString('latin1');
  const at = whole.lastIndexOf('xref\n0');
  return Buffer.from(`${whole.slice(0, at)}${table.replaceAll('AT', String(at))}\nstartxref\n${at}\n%%EOF\n`, 'latin1');
};

const bombs: Record<string, Buffer> = {
  '/deflated-twice.pdf': bombPdf(),
  '/a-million-pages.pdf': pdfOf([
    catalog,
    tree('3 0 R '.repeat(1_000), 1_000_000),
    tree('6 0 R '.repeat(1_000), 1_000),
    pdfStream('', words),
    font,
    pageOf('4 0 R', fonts),
  ]),
  '/a-billion-pages-by-count.pdf': pdfOf([
    catalog,
    tree('3 0 R', 1_000_000_000),
    pageOf('4 0 R', fonts),
    pdfStream('', words),
    font,
  ]),
  '/tree-of-itself.pdf': pdfOf([catalog, tree('2 0 R 2 0 R', 1_000_000)]),
  '/form-of-itself.pdf': pdfOf([
    catalog,
    tree('3 0 R', 1),
    pageOf('4 0 R', '/XObject << /X 6 0 R >>'),
    pdfStream('', '/X Do'),
    font,
    pdfStream('/Type /XObject /Subtype /Form /BBox [0 0 9 9] /Resources << /XObject << /X 6 0 R >> >>', '/X Do /X Do'),
  ]),
  '/forms-that-double.pdf': doubling(),
  '/length-of-itself.pdf': onePage(`<< /Length 4 0 R >>\nstream\n${words}\nendstream`),
  '/contents-of-itself.pdf': pdfOf([catalog, tree('3 0 R', 1), pageOf('[4 0 R]', fonts), '[4 0 R 4 0 R]', font]),
  '/a-table-of-two-billion.pdf': withTable('xref\n0 2000000000\ntrailer\n<< /Size 2000000000 /Root 1 0 R >>'),
  '/a-table-behind-itself.pdf': withTable(
    'xref\n0 1\n0000000000 65535 f \ntrailer\n<< /Size 6 /Root 1 0 R /Prev AT >>',
  ),
  '/a-deep-array.pdf': onePage(pdfStream('', words), [`${'['.repeat(200_000)}${']'.repeat(200_000)}`], '/Info 6 0 R'),
  '/a-character-map-of-all.pdf': pdfOf([
    catalog,
    tree('3 0 R', 1),
    pageOf('4 0 R', '/Font << /F1 6 0 R >>'),
    pdfStream('', 'BT /F1 12 Tf 72 720 Td <00010002> Tj ET'),
    font,
    '<< /Type /Font /Subtype /Type0 /BaseFont /Some /Encoding /Identity-H /DescendantFonts [7 0 R] /ToUnicode 8 0 R >>',
    '<< /Type /Font /Subtype /CIDFontType2 /BaseFont /Some /CIDSystemInfo << /Registry (Adobe) /Ordering (Identity) /Supplement 0 >> /DW 1000 >>',
    pdfStream(
      '',
      `1 begincodespacerange <00000000> <FFFFFFFF> endcodespacerange\n${'1 beginbfrange <00000000> <FFFFFFFF> <0000> endbfrange\n'.repeat(100)}`,
    ),
  ]),
  '/a-long-text.pdf': (() => {
    const packed = deflateSync(
      Buffer.from(`BT /F1 12 Tf 72 720 Td ${'(words of a bomb) Tj T* '.repeat(2_000_000)} ET`),
    );
    return onePage(
      `<< /Length ${packed.length} /Filter /FlateDecode >>\nstream\n${packed.toString('latin1')}\nendstream`,
    );
  })(),
};

const conf = {
  'parser.worker.memory': '256',
  'parser.timeout': '5',
  'parser.text.limit': '20000',
  'parser.pdf.pages': '50',
};

let cycle: Cycle;
let site: Site;
let rows: Map<string, CrawledPage>;
beforeAll(async () => {
  cycle = await openCycle();
  const good = pdf(makePdf([lines('a page beside them')]));
  const web = Object.fromEntries(Object.entries(bombs).map(([path, bytes]) => [path, pdf(bytes)]));
  site = await startSite({ ...web, '/good.pdf': good });
  rows = await crawled({ cycle, site }, 'bombs', ['/good.pdf', ...Object.keys(bombs)], conf);
});
afterAll(async () => {
  await cycle.close();
  await site.close();
});

/** Possible outcomes: a text within its limit, or a failure by the limit that was reached. */
const OUTCOME = /^(success$|memory: took more than 256 MB|timeout: took longer than 5 s|the PDF cannot be read: )/;

describe('a PDF that expands without bounds', () => {
  it.each(Object.keys(bombs))('%s is parsed within the limits or fails by one of them', (path) => {
    const row = rows.get(path);
    expect(bombs[path]?.length).toBeLessThan(500_000);
    expect(row?.status).toMatch(OUTCOME);
    expect(row?.text.length).toBeLessThanOrEqual(20_000);
    expect(row?.text.split('\n').length).toBeLessThanOrEqual(path === '/a-million-pages.pdf' ? 50 : 20_000);
  });

  it('fails with the memory that it took as reason', async () => {
    // Where many processes run, it takes longer than 5 s to use that much.
    const patient = { ...conf, 'parser.timeout': '600' };
    const path = '/deflated-twice.pdf';
    const found = await crawled({ cycle, site }, 'memory', [path], patient);
    expect(found.get(path)?.status).toBe('memory: took more than 256 MB (parser.worker.memory)');
  });

  it('fails with the fault of the PDF as reason', () => {
    expect(rows.get('/tree-of-itself.pdf')?.status).toBe(
      'the PDF cannot be read: Pages tree contains circular reference.',
    );
  });

  it('does not affect another PDF of the batch', () => {
    expect(rows.get('/good.pdf')).toMatchObject({ status: 'success', text: 'a page beside them' });
    expect(rows.size).toBe(Object.keys(bombs).length + 1);
  });
});
