import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { encryptedPdf, bombPdf, lines, makePdf } from '../support/pdf.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';
import { type CrawledPage, crawled } from './crawled.js';

/** PDF in the crawl: fetched, parsed in the process with a memory limit, its links extracted. */

const pdf = (bytes: Buffer): Handler => page(bytes, { 'content-type': 'application/pdf' });
const info = { Title: '<FEFF00C40020D83DDE00>', Author: '(Jane Roe)', CreationDate: "(D:20240102030405+01'00)" };

const web: Record<string, Handler> = {
  '/links.pdf': pdf(
    makePdf([{ ...lines('Hello (world)'), links: ['/rel', 'http://127.0.0.1/a', 'javascript:alert(1)'] }], {
      info,
    }),
  ),
  '/packed.pdf': pdf(makePdf([lines('one'), lines('two', 'three')], { info, objectStream: true })),
  '/written.pdf': pdf(makePdf([lines('see http://127.0.0.1/written.')])),
  '/encodings.pdf': pdf(
    makePdf([
      { operators: 'BT /F1 12 Tf 72 720 Td (caf\xe9 \x80) Tj ET BT /F2 12 Tf 72 700 Td <0001000200030004> Tj ET' },
    ]),
  ),
  '/untyped': page(makePdf([lines('no type')]), { 'content-type': 'application/octet-stream' }),
  '/encrypted.pdf': pdf(encryptedPdf()),
  '/broken.pdf': pdf(Buffer.from('%PDF-1.4\nnothing that follows\n')),
  '/mended.pdf': pdf(
    Buffer.from(
      makePdf([lines('mended')])
        .toString('latin1')
        .replace(/startxref\n\d+/, 'startxref\n7'),
      'latin1',
    ),
  ),
  '/bomb.pdf': pdf(bombPdf()),
};

let cycle: Cycle;
let site: Site;
beforeAll(async () => {
  cycle = await openCycle();
  site = await startSite(web);
});
afterAll(async () => {
  await cycle.close();
  await site.close();
});

describe('PARSE of a PDF', () => {
  let rows: Map<string, CrawledPage>;
  beforeAll(async () => {
    // Without a limit of time: on a busy machine it would be reached before that of memory.
    const conf = { 'parser.worker.memory': '256', 'parser.timeout': '-1' };
    rows = await crawled({ cycle, site }, 'all', Object.keys(web), conf);
  });

  it('stores title, text, metadata and the links of its annotations', () => {
    expect(rows.get('/links.pdf')).toMatchObject({
      status: 'success',
      title: 'Ä 😀',
      text: 'Hello (world)',
      links: [expect.stringMatching(/^127.*\/rel$/), '127.0.0.1:http/a'],
      metadata: { 'dc:creator': 'Jane Roe', 'dcterms:created': '2024-01-02T02:04:05.000Z', 'xmpTPg:NPages': '1' },
    });
  });

  it.each([
    ['with compressed objects', '/packed.pdf', 'one\ntwo\nthree'],
    ['in several encodings', '/encodings.pdf', 'café €\nßΩ中文'],
    ['sent as application/octet-stream', '/untyped', 'no type'],
    ['with a wrong cross-reference offset', '/mended.pdf', 'mended'],
  ])('extracts the text of one %s', (_, path, text) => {
    expect(rows.get(path)).toMatchObject({ text });
  });

  it('takes links from the text when there are no annotations', () => {
    expect(rows.get('/written.pdf')).toMatchObject({ links: ['127.0.0.1:http/written'] });
  });

  it.each([
    ['encrypted', '/encrypted.pdf', 'the PDF is encrypted with a password'],
    ['broken', '/broken.pdf', 'the PDF cannot be read: Invalid PDF structure.'],
    ['over the memory limit', '/bomb.pdf', 'memory: took more than 256 MB (parser.worker.memory)'],
  ])('fails for one that is %s, with the reason', (_, path, reason) => {
    expect(rows.get(path)).toMatchObject({ status: reason });
  });
});

describe('properties of PDF parsing', () => {
  it('parser.pdf.pages limits the number of parsed pages', async () => {
    const rows = await crawled({ cycle, site }, 'pages', ['/packed.pdf'], { 'parser.pdf.pages': '1' });
    expect(rows.get('/packed.pdf')).toMatchObject({ text: 'one', metadata: { 'xmpTPg:NPages': '2' } });
  });

  it('parser.text.limit limits the number of stored characters', async () => {
    const rows = await crawled({ cycle, site }, 'text', ['/packed.pdf'], { 'parser.text.limit': '5' });
    expect(rows.get('/packed.pdf')?.text).toBe('one\nt');
  });

  it('no PDF is parsed without the plugin parse-pdf', async () => {
    const rows = await crawled({ cycle, site }, 'none', ['/packed.pdf'], { 'plugin.excludes': 'parse-pdf' });
    expect(rows.get('/packed.pdf')).toMatchObject({ status: 'no parser for application/pdf' });
  });

  it('parse-tika of a Nutch configuration parses PDF', async () => {
    const includes = 'protocol-http|parse-(html|tika)|scoring-opic|urlnormalizer-basic';
    const rows = await crawled({ cycle, site }, 'tika', ['/packed.pdf'], { 'plugin.includes': includes });
    expect(rows.get('/packed.pdf')).toMatchObject({ status: 'success' });
  });
});
