import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { startSite } from '../support/site.js';
import { startProgram } from './program.js';
import { KEY, client, folder, run, server, site, urlsOf, useServer } from './used-server.js';

/** The steps by Nutch's commands (row N5) on a running server. */

useServer();

describe("the steps by Nutch's commands (row N5)", () => {
  let segment: string;

  it('inject reads a folder of seed files and creates the crawl', async () => {
    const seeds = join(folder.path, 'seeds');
    await mkdir(seeds);
    await writeFile(join(seeds, 'seed.txt'), `${site.url}/\tnutch.score=2\n# a comment\n`);
    const { code, stderr } = await run('inject', 'nutch/crawldb', seeds);
    expect(stderr).toMatch(/nutch-default-INJECT-1: FINISHED, OK.*urls_injected 1/);
    expect(code).toBe(0);
    expect(await urlsOf('nutch', 'db_unfetched')).toEqual(['/']);
  });

  it('generate prints the segment', async () => {
    const { code, stdout } = await run(
      'generate',
      'nutch/crawldb',
      'nutch/segments/',
      '-topN',
      '2',
      '-numFetchers',
      '2',
      '-noFilter',
    );
    expect(stdout).toMatch(/^nutch\/segments\/\d+-\d+\n$/);
    expect(code).toBe(0);
    segment = stdout.trim();
    const job = (await client.job.list({ crawlId: 'nutch' })).find(({ type }) => type === 'GENERATE');
    expect(job?.args).toMatchObject({ topN: '2', numFetchers: '2', noFilter: true });
  });

  it('index before updatedb writes no document, and prints why', async () => {
    for (const words of [
      ['fetch', segment, '-threads', '2'],
      ['parse', segment],
    ])
      expect(await run(...words)).toMatchObject({ code: 0 });
    const { code, stderr } = await run('index', 'nutch/crawldb', segment);
    expect([code, stderr]).toEqual([
      0,
      expect.stringMatching(/DocumentCount 0\n.*warning: Parsed pages that wait for UPDATEDB are not indexed: 1\./),
    ]);
  });

  it('fetch, parse, updatedb, invertlinks and dedup accept that segment', async () => {
    for (const words of [
      ['fetch', segment, '-threads', '2'],
      ['parse', segment],
      ['updatedb', 'nutch/crawldb', segment],
      ['invertlinks', 'nutch/linkdb', segment],
      ['dedup', 'nutch/crawldb', '-group', 'host'],
    ]) {
      const { code, stderr } = await run(...words);
      expect({ words, code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('FINISHED, OK') });
    }
    expect(await urlsOf('nutch')).toEqual(['/']);
    expect(await urlsOf('nutch', 'db_unfetched')).toEqual(['/a', '/b', '/private/x']);
  });

  it('webgraph, linkrank and scoreupdater rank the pages of the crawl', async () => {
    const store = ['-webgraphdb', 'nutch/webgraphdb'];
    const graph = await run('webgraph', ...store, '-segmentDir', 'nutch/segments');
    expect(graph).toMatchObject({
      code: 0,
      stderr: expect.stringMatching(/note: -segmentDir changes nothing.*\n.*WEBGRAPH/),
    });
    const open = ['host', 'domain'].flatMap((kind) => ['-D', `link.ignore.internal.${kind}=false`]);
    const ranked = await run('linkrank', ...store, ...open);
    expect(ranked).toMatchObject({ code: 0, stderr: expect.stringMatching(/LinkRank: nodes [1-9]/) });
    const scored = await run('scoreupdater', '-crawldb', 'nutch/crawldb', ...store);
    expect(scored).toMatchObject({ code: 0, stderr: expect.stringMatching(/ScoreUpdater: .*updated 2/) });
  });

  it('index adds documents to the index, and clean deletes from it', async () => {
    const indexed = await run('index', 'nutch/crawldb', '-linkdb', 'nutch/linkdb', segment, '-deleteGone');
    expect(indexed).toMatchObject({ code: 0, stderr: expect.stringContaining('IndexerJob: DocumentCount 1') });
    const again = await run('index', 'nutch/crawldb', '-dir', 'nutch/segments');
    expect(again).toMatchObject({ code: 0, stderr: expect.stringContaining('IndexerJob: DocumentCount 1') });
    const { hits } = await client.search.search({ q: 'home', crawlId: 'nutch' });
    expect(hits.map(({ url }) => url)).toEqual([`${site.url}/`]);
    const cleaned = await run('clean', 'nutch/crawldb');
    expect(cleaned).toMatchObject({ code: 0, stderr: expect.stringContaining('Deleted documents 0') });
    expect(await run('index', 'nutch/crawldb')).toMatchObject({ code: 2 });
  });

  it('readseg -dump prints the parts of a segment, and refuses invalid arguments with code 2', async () => {
    const all = await run('readseg', '-dump', segment);
    expect(all.code).toBe(0);
    for (const label of ['CrawlDatum', 'Content', 'ParseData', 'ParseText'])
      expect(all.stdout).toContain(`\n${label}::\n`);
    expect(all.stdout).toContain(`\nURL:: ${site.url}/private/x\n\nCrawlDatum::\nVersion: 7\nStatus: 67 (linked)\n`);
    const few = ['-nogenerate', '-nofetch', '-nocontent', '-noparse', '-noparsetext'];
    const data = await run('readseg', '-dump', segment, ...few);
    expect(data.stdout).toMatch(
      /^\nRecno:: 0\nURL:: [^\n]*\/\n\nParseData::\nVersion: 5\nStatus: success\(1,0\)\nTitle: home\n/,
    );
    for (const words of [
      ['-dump'],
      ['-dump', segment, 'out', 'more'],
      ['-dump', segment, '-nothing'],
      [],
      ['-dump', 'nutch/segments'],
    ])
      expect((await run('readseg', ...words)).code).toBe(2);
  });

  it('readseg -dump SEGMENT OUTPUT writes the file dump into that folder, as Nutch does; - means stdout', async () => {
    const out = join(folder.path, 'dumped', 'deep');
    const written = await run('readseg', '-dump', segment, out, '-nocontent');
    expect([written.code, written.stdout]).toEqual([0, '']);
    const { stdout } = await run('readseg', '-nocontent', '-dump', segment, '-');
    expect(stdout).toContain('ParseText::');
    expect(await readFile(join(out, 'dump'), 'utf8')).toBe(stdout);
    // A refused dump keeps the existing file.
    const refused = await run('readseg', '-dump', 'nutch/segments/20000101000000', out);
    expect([refused.code, refused.stderr]).toEqual([10, expect.stringContaining('BATCH_UNKNOWN')]);
    expect(await readdir(out)).toEqual(['dump']);
    expect(await readFile(join(out, 'dump'), 'utf8')).toBe(stdout);
    const closed = await run('readseg', '-dump', segment, join(out, 'dump'));
    expect([closed.code, closed.stderr]).toEqual([2, expect.stringContaining(join(out, 'dump'))]);
  });

  it('-D overrides a property for one job, and -crawlId names the crawl', async () => {
    const { code, stderr } = await run('generate', 'crawldb', 'segments', '-crawlId', 'nutch', '-Dgenerate.topN=1');
    expect(stderr).toMatch(/nutch-cli-nutch-GENERATE-\d+: FINISHED/);
    expect(code).toBe(0);
    const job = (await client.job.list({ crawlId: 'nutch' })).find(({ confId }) => confId === 'cli-nutch');
    expect(job?.result).toMatchObject({ 'generate.count': 1 });
  });

  it('generate -maxNumSegments prints each segment', async () => {
    const seeds = join(folder.path, 'many.txt');
    await writeFile(seeds, ['/', '/a', '/b'].map((path) => `${site.url}${path}\n`).join(''));
    expect((await run('inject', 'many/crawldb', seeds)).code).toBe(0);
    const words = ['generate', 'many/crawldb', 'many/segments', '-D', 'generate.max.count=1', '-maxNumSegments', '3'];
    const { code, stdout } = await run(...words);
    expect(stdout).toMatch(/^many\/segments\/(\d+-\d+)\nmany\/segments\/\1-2\nmany\/segments\/\1-3\n$/);
    expect(code).toBe(0);
  });

  it('Ctrl-C stops the job, creates no further one, and ends with code 130', async () => {
    const slow = await startSite((_req, res) => void setTimeout(() => res.writeHead(200).end('slow'), 1_000));
    const seeds = join(folder.path, 'slow.txt');
    await writeFile(seeds, Array.from({ length: 40 }, (_, index) => `${slow.url}/${index}\n`).join(''));
    expect((await run('inject', 'slow/crawldb', seeds)).code).toBe(0);
    const { stdout } = await run('generate', 'slow/crawldb', 'slow/segments');
    const words = ['fetch', stdout.trim(), 'slow/segments/no-such-batch', '-threads', '1'];
    const program = startProgram(words, { ORBWEAVER_SERVER: server.url, ORBWEAVER_KEY: KEY });
    await expect.poll(() => slow.log.length).toBeGreaterThan(1);
    program.interrupt();
    const { code, stderr } = await program.ended;
    await slow.close();
    expect(code, stderr).toBe(130);
    expect(stderr).toContain('FINISHED');
    expect((await client.job.list({ crawlId: 'slow' })).filter(({ type }) => type === 'FETCH')).toHaveLength(1);
  });

  it('generate without due pages ends with code 9', async () => {
    const { code, stdout } = await run('generate', 'empty/crawldb', 'empty/segments');
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
  });

  it('inject of no file and an unknown seed list says so, prints the message of the server and ends with code 10', async () => {
    const { code, stderr } = await run('inject', 'nutch/crawldb', 'no-such-list');
    expect(stderr).toContain(
      'note: there is no file or folder no-such-list here: it is taken as the name of a seed list',
    );
    expect(stderr).toMatch(/the server refused: There is no seed list "no-such-list".* \(JOB_SEED_UNKNOWN\)/);
    expect(code).toBe(10);
  });
});
