import { execFile } from 'node:child_process';
import { mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Orbweaver } from '../../clients/typescript/src/orbweaver.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type TemporaryFolder, temporaryFolder } from '../support/folders.js';
import { type Server, startServer } from '../support/server.js';
import { page, type Site, startSite } from '../support/site.js';
import { startProgram } from './program.js';

/** Commands that speak to a server that runs, with a key: the steps by Nutch's words (row N5), crawl, inspect and export. */

const KEY = 'a-secret-of-24-characters';
let db: TestDatabase;
let server: Server;
let site: Site;
let folder: TemporaryFolder;
let client: Orbweaver;

const html = (title: string, ...links: string[]) =>
  page(`<title>${title}</title>${links.map((link) => `<a href="${link}">x</a>`).join('')}`);

beforeAll(async () => {
  folder = await temporaryFolder();
  db = await testDatabase();
  site = await startSite({
    '/': html('home', '/a', '/b', '/private/x'),
    '/a': html('a', '/b', '/c'),
    '/b': html('b'),
    '/c': html('c'),
    '/robots.txt': page('User-agent: *\n# keep out\nDisallow: /private/\n', { 'content-type': 'text/plain' }),
  });
  server = await startServer({ databaseUrl: db.url, env: { API_KEYS: `admin:${KEY}` } });
  client = new Orbweaver({ url: server.url, key: KEY });
  await client.config.set('default', 'http.agent.name', 'commands-test');
  await client.config.set('default', 'http.filter.ipaddress.exclude', '');
  await client.config.set('default', 'fetcher.server.delay', '0');
});
afterAll(async () => {
  await server?.stop();
  await site?.close();
  await db?.drop();
  await folder?.remove();
});

const run = (...args: string[]) =>
  startProgram(args, { ORBWEAVER_SERVER: server.url, ORBWEAVER_KEY: KEY, TMPDIR: folder.path }).ended;

async function urlsOf(crawlId: string, status = 'db_fetched'): Promise<string[]> {
  const urls: string[] = [];
  for await (const { url } of client.pages({ crawlId, status })) urls.push(new URL(url).pathname);
  return urls;
}

describe("the steps by Nutch's words", () => {
  let segment: string;

  it('inject reads a folder of seed files and makes the crawl', async () => {
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

  it('fetch, parse, updatedb, invertlinks and dedup take it', async () => {
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

  it('readseg -dump writes the parts of it', async () => {
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

  it('readseg -dump SEGMENT OUTPUT writes the file dump into that folder, as Nutch does; - is stdout', async () => {
    const out = join(folder.path, 'dumped', 'deep');
    const written = await run('readseg', '-dump', segment, out, '-nocontent');
    expect([written.code, written.stdout]).toEqual([0, '']);
    const { stdout } = await run('readseg', '-nocontent', '-dump', segment, '-');
    expect(stdout).toContain('ParseText::');
    expect(await readFile(join(out, 'dump'), 'utf8')).toBe(stdout);
    // A dump that is refused leaves the one that there is.
    const refused = await run('readseg', '-dump', 'nutch/segments/20000101000000', out);
    expect([refused.code, refused.stderr]).toEqual([10, expect.stringContaining('BATCH_UNKNOWN')]);
    expect(await readdir(out)).toEqual(['dump']);
    expect(await readFile(join(out, 'dump'), 'utf8')).toBe(stdout);
    const closed = await run('readseg', '-dump', segment, join(out, 'dump'));
    expect([closed.code, closed.stderr]).toEqual([2, expect.stringContaining(join(out, 'dump'))]);
  });

  it('-D lays a property over the configuration for the one job, -crawlId names the crawl', async () => {
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

  it('Ctrl-C stops the job, makes no further one, and ends with code 130', async () => {
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

  it('generate with nothing to do ends with code 9, so that a loop ends', async () => {
    const { code, stdout } = await run('generate', 'empty/crawldb', 'empty/segments');
    expect({ code, stdout }).toEqual({ code: 9, stdout: '' });
  });

  it('a stored list that there is none of is reported in the words of the server', async () => {
    const { code, stderr } = await run('inject', 'nutch/crawldb', 'no-such-list');
    expect(stderr).toMatch(/the server refused: There is no seed list "no-such-list".* \(JOB_SEED_UNKNOWN\)/);
    expect(code).toBe(10);
  });
});

describe('crawl, inspect and export on a server', () => {
  it('crawl makes a crawl that stays there', async () => {
    const { code, stderr } = await run('crawl', `${site.url}/`, '--crawl-id', 'kept', '--rounds', '2');
    expect(stderr).toContain('kept: OK: all 2 rounds are done (2 rounds');
    expect(code).toBe(0);
    expect(await urlsOf('kept')).toEqual(['/', '/a', '/b']);
  });

  it("crawl with the server's agent name makes no configuration of its own", async () => {
    expect(await client.config.ids()).not.toContain('cli-kept');
  });

  it('crawl --conf keeps what the configuration of the server was changed in', async () => {
    const { code, stderr } = await run(
      'crawl',
      `${site.url}/`,
      '--rounds',
      '1',
      '--crawl-id',
      'laid',
      '--conf',
      'http.agent.nam=x',
    );
    expect(stderr).toMatch(/note: .*http\.agent\.nam.*http\.agent\.name/);
    expect(stderr).toContain('1 fetched');
    expect(code).toBe(0);
    expect(await client.config.read('cli-laid')).toMatchObject({
      'http.agent.name': 'commands-test',
      'fetcher.server.delay': '0',
    });
  });

  it('crawl --conf-id takes a configuration of the server as it is', async () => {
    await client.config.create({ configId: 'shallow', params: { 'db.max.outlinks.per.page': '1' } });
    const words = ['crawl', `${site.url}/`, '--rounds', '2', '--crawl-id', 'chosen', '--conf-id'];
    const { code, stderr } = await run(...words, 'shallow');
    expect({ code, stderr }).toMatchObject({ code: 0, stderr: expect.stringContaining('2 fetched') });
    expect((await client.crawl.read('chosen')).confId).toBe('shallow');
    expect(await client.config.ids()).not.toContain('cli-chosen');
    const unknown = await run(...words, 'none');
    expect([unknown.code, unknown.stderr]).toEqual([10, expect.stringContaining("Unknown configId 'none'")]);
  });

  it('crawl --conf-id with a configuration that names no crawler ends with code 10 and the words of the server', async () => {
    await client.config.create({ configId: 'nameless', params: { 'http.agent.name': '' } });
    const { code, stderr } = await run('crawl', `${site.url}/`, '--conf-id', 'nameless');
    expect([code, stderr]).toEqual([10, expect.stringContaining('http.agent.name')]);
    expect(stderr).toContain('FETCH_IMPOSSIBLE');
  });

  it('crawl with a value that a property does not take ends with code 10', async () => {
    const { code, stderr } = await run('crawl', `${site.url}/`, '--conf', 'fetcher.threads.fetch=many');
    expect(stderr).toMatch(/the server refused: .*fetcher\.threads\.fetch.*many/);
    expect(code).toBe(10);
  });

  it('inspect tells the line of robots.txt, and ends with code 9', async () => {
    const { code, stdout } = await run('inspect', `${site.url}/private/x`, '--robots', '--crawl-id', 'kept');
    expect(stdout).toContain('is not fetched now, because');
    expect(stdout).toContain('robots.txt: disallowed, line 3: Disallow: /private/');
    expect(code).toBe(9);
  });

  it('inspect of a page that is due says so, and ends with code 0', async () => {
    const { code, stdout } = await run('inspect', `${site.url}/c`, '--crawl-id', 'kept');
    expect(stdout).toContain('would be fetched now');
    expect(code).toBe(0);
  });

  it('inspect --json is the answer of the server', async () => {
    const { stdout } = await run('inspect', `${site.url}/?q=1`, '--json', '--crawl-id', 'kept');
    expect(JSON.parse(stdout)).toMatchObject({ accepted: false, decidedBy: { plugin: 'urlfilter-regex' } });
  });

  it('inspect --conf judges by other rules', async () => {
    const { stdout } = await run('inspect', `${site.url}/?q=1`, '--conf', 'urlfilter.regex.rules=+.', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ accepted: true, decidedBy: null });
  });

  it('export writes the pages to stdout, or to a file', async () => {
    const { code, stdout } = await run('export', '--crawl-id', 'kept', '--status', 'db_fetched');
    expect(
      stdout
        .trim()
        .split('\n')
        .map((line) => (JSON.parse(line) as { title: string }).title),
    ).toEqual(['home', 'a', 'b']);
    expect(code).toBe(0);
    const out = join(folder.path, 'kept.jsonl');
    const { stderr } = await run('export', '--crawl-id', 'kept', '--prefix', `${site.url}/a`, '--out', out);
    expect(stderr).toContain(`1 pages written to ${out}`);
    expect((await readFile(out, 'utf8')).trim().split('\n')).toHaveLength(1);
  });

  it('export of a crawl that nobody knows ends with code 10, and leaves the file as it was', async () => {
    const out = join(folder.path, 'unknown.jsonl');
    await writeFile(out, 'before');
    for (const more of [[], ['--text'], ['--out', out]]) {
      const { code, stdout, stderr } = await run('export', '--crawl-id', 'unknown', ...more);
      expect([code, stdout, stderr]).toEqual([10, '', expect.stringMatching(/crawl "unknown".*\(CRAWL_UNKNOWN\)/)]);
    }
    expect(await readFile(out, 'utf8')).toBe('before');
  });

  it('export --text writes the text of the pages that have one', async () => {
    const { stdout } = await run('export', '--crawl-id', 'kept', '--text');
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { url: string; text: string | null });
    const texts = Object.fromEntries(lines.map(({ url, text }) => [new URL(url).pathname, text]));
    expect(texts).toEqual({
      '/': expect.stringContaining('x'),
      '/a': expect.any(String),
      '/b': expect.any(String),
      '/c': null,
      '/private/x': null,
    });
  });

  it('export --text waits where the server says that it asks too often', async () => {
    const many = await startSite({
      '/': html('home', ...Array.from({ length: 29 }, (_, index) => `/${index}`)),
      '*': html('leaf'),
    });
    expect((await run('crawl', `${many.url}/`, '--crawl-id', 'texts', '--quiet')).code).toBe(0);
    await many.close();
    const slow = await startServer({ databaseUrl: db.url, env: { ROLE: 'api', REQUEST_RATE: '5' } });
    const { code, stdout, stderr } = await startProgram(['export', '--crawl-id', 'texts', '--text'], {
      ORBWEAVER_SERVER: slow.url,
    }).ended;
    await slow.stop();
    expect(code, stderr).toBe(0);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { text: string | null });
    expect(lines).toHaveLength(30);
    expect(lines.every(({ text }) => text !== null)).toBe(true);
  });

  it('a key that is missing is reported in the words of the server', async () => {
    const { code, stderr } = await startProgram(['export'], { ORBWEAVER_SERVER: server.url }).ended;
    expect(stderr).toContain('(NOT_AUTHENTICATED)');
    expect(stderr).not.toContain(KEY);
    expect(code).toBe(10);
  });
});

describe('the client on a real server', () => {
  it('does what the example of its README says', async () => {
    const readme = await readFile(new URL('../../clients/typescript/README.md', import.meta.url), 'utf8');
    const built = new URL('../../dist/clients/typescript/src/orbweaver.js', import.meta.url).href;
    const example = (/```ts\n([^]*?)```/.exec(readme)?.[1] ?? '')
      .replace("'orbweaver-client'", `'${built}'`)
      .replace("url: 'http://127.0.0.1:8081'", `url: '${server.url}', key: '${KEY}'`)
      .replace('https://nutch.apache.org/', `${site.url}/`);
    const file = join(folder.path, 'example.mjs');
    await writeFile(file, example);
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [file]);
    expect({ stdout, stderr }).toEqual({
      stdout: expect.stringMatching(/^FINISHED \{[^]*urls_injected: 1/),
      stderr: '',
    });
  });

  it('follows the events of a job from its first to its end', async () => {
    const { id } = await client.job.create({ type: 'INJECT', crawlId: 'events', args: { seed: `${site.url}/` } });
    const kinds: string[] = [];
    let last: unknown;
    for await (const { kind, data } of client.events(id)) {
      kinds.push(kind);
      last = data;
    }
    expect(kinds).toContain('state');
    expect(kinds.at(-1)).toBe('end');
    expect(last).toMatchObject({ jobId: id, state: 'FINISHED' });
  });

  it('follows a crawl with all its jobs, and goes on behind an event', async () => {
    const { id } = await client.crawl.create({
      crawlId: 'followed',
      seeds: [`${site.url}/`],
      rounds: 1,
      scope: 'host',
    });
    const jobs = new Set<string>();
    const ids: string[] = [];
    for await (const event of client.crawlEvents(id)) {
      jobs.add(event.jobId);
      if (event.kind !== 'end') ids.push(event.id);
    }
    // CRAWL, INJECT, GENERATE, FETCH and UPDATEDB.
    expect(jobs.size).toBe(5);
    const again: string[] = [];
    for await (const event of client.crawlEvents(id, { lastEventId: ids[3] ?? '' }))
      if (event.kind !== 'end') again.push(event.id);
    expect(again).toEqual(ids.slice(4));
    // By its crawl id it is the same crawl: one name for all calls.
    const byCrawlId: string[] = [];
    for await (const event of client.crawlEvents('followed', { until: 'end' })) byCrawlId.push(event.jobId);
    expect(new Set(byCrawlId)).toEqual(jobs);
    expect(byCrawlId).toHaveLength(ids.length + 1);
    expect((await client.crawl.read('followed')).id).toBe(id);
  });

  it('makes one thing of two calls with the same idempotency key', async () => {
    const make = () =>
      client.job.create(
        { type: 'INJECT', crawlId: 'once', args: { seed: `${site.url}/` } },
        { idempotencyKey: 'once-1' },
      );
    const [first, second] = [await make(), await make()];
    expect(second.id).toBe(first.id);
    expect(await client.job.list({ crawlId: 'once' })).toHaveLength(1);
  });

  it('throws a typed problem with the fields at fault', async () => {
    const args = { topN: 'many' as unknown as number };
    await expect(client.job.create({ type: 'GENERATE', args })).rejects.toMatchObject({
      name: 'OrbweaverProblem',
      code: 'JOB_ARGS_INVALID',
      status: 400,
      detail: expect.stringContaining('topN'),
    });
  });

  it('waits for a job, and stops waiting when it is told to', async () => {
    const { id } = await client.job.create({ type: 'GENERATE', crawlId: 'followed', args: {} });
    expect(await client.waitFor(id, { every: 50 })).toMatchObject({ id, state: 'FINISHED' });
    await expect(client.waitFor(id, { signal: AbortSignal.abort(new Error('enough')) })).rejects.toThrow('enough');
  });
});
