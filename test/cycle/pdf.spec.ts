import { zstdDecompressSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { encryptedPdf, bombPdf, lines, makePdf } from '../support/pdf.js';
import { type Handler, type Site, page, startSite } from '../support/site.js';

/** PDF in the crawl: fetched, read in the capped process, its links followed. */

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

interface Row {
  title: string | null;
  text: string;
  status: string;
  links: string[];
  metadata: Record<string, string>;
}

/** Crawls some pages for one round; answers what is in the table of each, by path. */
async function crawled(
  crawlId: string,
  paths: readonly string[],
  conf: Record<string, string> = {},
): Promise<Map<string, Row>> {
  await cycle.inject(
    paths.map((path) => site.url + path),
    {},
    { crawlId },
  );
  await cycle.round({ crawlId, conf });
  const rows = await cycle.db.query<{
    key: string;
    title: string | null;
    text: Buffer | null;
    major: number;
    args: string[];
    links: string[] | null;
    metadata: Record<string, string> | null;
  }>(
    `select w.key, w.title, w.parse_major as major, w.parse_args as args, w.metadata, p.text, p.outlink_keys as links
       from webpage w join crawl c on c.id = w.crawl left join page_content p on p.crawl = w.crawl and p.host = w.host and p.key = w.key
      where c.name = $1 and w.distance = 0`,
    [crawlId],
  );
  return new Map(
    rows.map(({ key, title, text, major, args, links, metadata }) => [
      key.slice(key.indexOf('/')),
      {
        title,
        text: text === null ? '' : zstdDecompressSync(text).toString(),
        status: major === 1 ? 'success' : args.join(),
        links: links ?? [],
        metadata: metadata ?? {},
      },
    ]),
  );
}

describe('a PDF in a crawl', () => {
  let rows: Map<string, Row>;
  beforeAll(async () => {
    rows = await crawled('all', Object.keys(web), { 'parser.worker.memory': '256' });
  });

  it('gives title, text, metadata and the links of its annotations', () => {
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
    ['sent as mere bytes', '/untyped', 'no type'],
    ['whose table of objects is wrong', '/mended.pdf', 'mended'],
  ])('%s is read', (_, path, text) => {
    expect(rows.get(path)).toMatchObject({ text });
  });

  it('without links gives those that are written in its text', () => {
    expect(rows.get('/written.pdf')).toMatchObject({ links: ['127.0.0.1:http/written'] });
  });

  it.each([
    ['encrypted', '/encrypted.pdf', 'the PDF is encrypted with a password'],
    ['broken', '/broken.pdf', 'the PDF cannot be read: Invalid PDF structure.'],
    ['a bomb', '/bomb.pdf', 'memory: took more than 256 MB (parser.worker.memory)'],
  ])('that is %s fails with the reason', (_, path, reason) => {
    expect(rows.get(path)).toMatchObject({ status: reason });
  });
});

describe('the bounds of PDFs', () => {
  it('parser.pdf.pages: pages behind it are not read', async () => {
    const rows = await crawled('pages', ['/packed.pdf'], { 'parser.pdf.pages': '1' });
    expect(rows.get('/packed.pdf')).toMatchObject({ text: 'one', metadata: { 'xmpTPg:NPages': '2' } });
  });

  it('parser.text.limit: characters behind it are not kept', async () => {
    const rows = await crawled('text', ['/packed.pdf'], { 'parser.text.limit': '5' });
    expect(rows.get('/packed.pdf')?.text).toBe('one\nt');
  });

  it('without parse-pdf a PDF is not read', async () => {
    const rows = await crawled('none', ['/packed.pdf'], { 'plugin.excludes': 'parse-pdf' });
    expect(rows.get('/packed.pdf')).toMatchObject({ status: 'no parser for application/pdf' });
  });

  it('a configuration with parse-tika reads PDF', async () => {
    const includes = 'protocol-http|parse-(html|tika)|scoring-opic|urlnormalizer-basic';
    const rows = await crawled('tika', ['/packed.pdf'], { 'plugin.includes': includes });
    expect(rows.get('/packed.pdf')).toMatchObject({ status: 'success' });
  });
});
