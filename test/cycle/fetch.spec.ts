import { beforeAll, describe, expect, it } from 'vitest';
import type { JobRow } from '../../src/job/job-row.js';
import { type Handler, type Site, cutShort, page, reset, silence, startSite, status } from '../support/site.js';
import { cycle, untilTestEnds, useCrawler } from './crawler.js';
import { batchOf, byPath, counter, counters, pageAt, pages } from './table.js';

/** FETCH (docs/semantics/fetch.md; feature rows D1 to D13, D16 to D18, D24, D25, D27, D30). */

const DAY = 86_400_000;
useCrawler();

const site = async (handlers: Record<string, Handler> | Handler, host = '127.0.0.1'): Promise<Site> => {
  const started = await startSite(handlers, { host });
  return untilTestEnds(started);
};
type Options = { conf?: Record<string, string>; workers?: number };
const generate = async (crawlId: string, args: Record<string, unknown> = {}, options: Options = {}) =>
  batchOf(await cycle.run('GENERATE', args, { crawlId, ...options }));
const fetchBatch = (crawlId: string, args: Record<string, unknown> = {}, options: Options = {}) =>
  cycle.run('FETCH', args, { crawlId, ...options });
/** Injects URLs, generates and fetches them. */
const crawl = async (crawlId: string, urls: string[], options: Options = {}): Promise<JobRow> => {
  await cycle.inject(urls, {}, { crawlId });
  return fetchBatch(crawlId, { batch: await generate(crawlId) }, options);
};
const visits = (of: Site): string[] => of.log.map(({ path }) => path).filter((path) => path !== '/robots.txt');
const sum = (group: Record<string, number>): number => Object.values(group).reduce((all, n) => all + n, 0);

describe('responses of a server', () => {
  /** Path, response of the server, page status and protocol code after FETCH, HTTP status, page status after UPDATEDB. */
  const answers: [string, Handler, number, string, number | null, number][] = [
    ['/200', page('<title>t</title>'), 2, 'SUCCESS', 200, 2],
    ['/empty', page(''), 2, 'SUCCESS', 200, 2],
    ['/404', status(404), 3, 'NOTFOUND', 404, 3],
    ['/404-coded', status(404, { 'content-encoding': 'gzip' }), 3, 'NOTFOUND', 404, 3],
    ['/301-coded', status(301, { 'content-encoding': 'gzip', location: '/200' }), 5, 'MOVED', 301, 5],
    ['/200-coded', page('no gzip', { 'content-encoding': 'gzip' }), 34, 'EXCEPTION', null, 1],
    ['/410', status(410), 3, 'GONE', 410, 3],
    ['/400', status(400), 3, 'GONE', 400, 3],
    ['/401', status(401), 3, 'ACCESS_DENIED', 401, 3],
    ['/403', status(403), 34, 'EXCEPTION', 403, 1],
    ['/429', status(429), 34, 'EXCEPTION', 429, 1],
    ['/500', status(500), 34, 'EXCEPTION', 500, 1],
    ['/503', status(503), 34, 'EXCEPTION', 503, 1],
    ['/204', status(204), 34, 'EXCEPTION', 204, 1],
    ['/206', status(206), 34, 'EXCEPTION', 206, 1],
    ['/silence', silence, 34, 'EXCEPTION', null, 1],
    ['/reset', reset, 34, 'EXCEPTION', null, 1],
    ['/cut', cutShort('half', 1_000), 34, 'EXCEPTION', null, 1],
  ];
  const conf = { 'http.timeout': '300', 'fetcher.max.exceptions.per.queue': '-1', 'fetcher.threads.per.queue': '5' };
  let job: JobRow;
  let before: Date;

  beforeAll(async () => {
    const web = await startSite(Object.fromEntries(answers.map(([path, handler]) => [path, handler])));
    before = (await cycle.db.query<{ now: Date }>('select now()'))[0]!.now;
    job = await crawl(
      'answers',
      answers.map(([path]) => web.url + path),
      { conf },
    );
    await web.close();
  });

  it.each(answers)('%s sets the statuses of the page', async (path, _handler, pageStatus, name, httpStatus) => {
    expect(await pageAt(cycle, path, 'answers')).toMatchObject({ status: pageStatus, http_status: httpStatus });
    expect(counters(job, 'FetcherStatus')).toHaveProperty(name);
    const history = await cycle.db.query(`select status, http_status from fetch_history where key like $1`, [
      `%${path}`,
    ]);
    expect(history).toEqual([{ status: pageStatus, http_status: httpStatus }]);
  });

  it('are counted by protocol status, and the counts add up to the selected pages', () => {
    expect(counters(job, 'FetcherStatus')).toEqual({
      SUCCESS: 2,
      NOTFOUND: 2,
      MOVED: 1,
      GONE: 2,
      ACCESS_DENIED: 1,
      EXCEPTION: 10,
    });
    expect(sum(counters(job, 'FetcherStatus'))).toBe(counter(job, 'Fetcher', 'selected'));
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
  });

  it('are counted by the reason of the failure', () => {
    const reasons = counters(job, 'FetcherFailures');
    expect(reasons).toMatchObject({ 'HTTP 404': 2, 'HTTP 503': 1, 'timeout: no answer in time': 1 });
    expect(sum(reasons)).toBe(2 + 2 + 1 + 10);
  });

  it('are stored with protocol arguments that give the reason (D18, D30)', async () => {
    expect((await pageAt(cycle, '/503', 'answers')).protocol_args).toEqual(['HTTP 503']);
    expect((await pageAt(cycle, '/silence', 'answers')).protocol_args).toEqual([expect.stringMatching(/^timeout: /)]);
    expect((await pageAt(cycle, '/reset', 'answers')).protocol_args).toEqual([expect.stringMatching(/^reset: /)]);
    expect((await pageAt(cycle, '/200', 'answers')).protocol_args).toEqual([]);
    expect((await pageAt(cycle, '/301-coded', 'answers')).redirect_url).toMatch(/\/200$/);
  });

  it('set the fetch time and keep the planned one as previous (D11)', async () => {
    for (const row of await pages(cycle, 'answers')) {
      expect(row.fetch_time.getTime()).toBeGreaterThanOrEqual(before.getTime());
      expect(row.fetch_time.getTime()).toBeLessThanOrEqual(job.endedAt!.getTime());
      expect(row.prev_fetch_time!.getTime()).toBeLessThanOrEqual(row.fetch_time.getTime());
      expect(row.fetch_mark).toBe(row.generate_mark);
    }
  });

  it('become fetched, gone, or a retry a day later in UPDATEDB (D10, D25)', async () => {
    const fetched = await byPath(cycle, (row) => row.fetch_time.getTime(), 'answers');
    await cycle.run('UPDATEDB', {}, { crawlId: 'answers' });
    for (const [path, , , , , after] of answers) {
      const row = await pageAt(cycle, path, 'answers');
      expect([path, row.status]).toEqual([path, after]);
      if (after !== 1) continue;
      expect(row.retries_since_fetch).toBe(1);
      expect(row.fetch_time.getTime() - fetched[path]!).toBe(DAY);
    }
  });
});

describe('FETCH', () => {
  const open = () => site((_req, res) => void res.writeHead(200, { 'content-type': 'text/html' }).end('x'));
  const urls = (web: Site, n: number) => Array.from({ length: n }, (_, i) => `${web.url}/${i}`);

  it('fetches the pages of the named batch or segment and no others (D1)', async () => {
    const web = await open();
    await cycle.inject(urls(web, 4), {}, { crawlId: 'd1' });
    const first = await generate('d1', { topN: 2 });
    const second = await generate('d1', { topN: 2 });
    await fetchBatch('d1', { batch: first });
    expect(visits(web).sort()).toEqual(['/0', '/1']);
    const marks = await byPath(cycle, (row) => [row.fetch_mark, row.status], 'd1');
    expect(marks).toEqual({ '/0': [first, 2], '/1': [first, 2], '/2': [null, 1], '/3': [null, 1] });
    await fetchBatch('d1', { segment: second });
    expect(visits(web).sort()).toEqual(['/0', '/1', '/2', '/3']);
  });

  it('fetches the pages of all batches with -all (D2)', async () => {
    const web = await open();
    await cycle.inject(urls(web, 5), {}, { crawlId: 'd2' });
    await generate('d2', { topN: 2 });
    await generate('d2', { topN: 2 });
    const job = await fetchBatch('d2', { batch: '-all' });
    expect(visits(web).sort()).toEqual(['/0', '/1', '/2', '/3']);
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 4 });
  });

  it('fetches every open batch when none is named, and fails when there is none', async () => {
    const web = await open();
    await cycle.inject(urls(web, 2), {}, { crawlId: 'newest' });
    expect((await fetchBatch('newest')).msg).toContain('no GENERATE of this crawl has selected anything yet');
    await generate('newest', { topN: 1 });
    await generate('newest', { topN: 1 });
    await fetchBatch('newest');
    expect(visits(web).sort()).toEqual(['/0', '/1']);
  });

  it.each(['nobody', '20200101000000', '-ALL', '-reindex'])(
    'and later steps fail for the unknown batch %s and name it',
    async (batch) => {
      for (const type of ['FETCH', 'PARSE', 'UPDATEDB', 'INVERTLINKS'] as const) {
        const job = await cycle.run(type, { batch }, { crawlId: 'd2' });
        expect([type, job.state]).toEqual([type, 'FAILED']);
        expect(job.msg).toContain(`this crawl has never had a batch or segment "${batch}"`);
      }
    },
  );

  it('finishes with no-urls for a named batch for which GENERATE found no page', async () => {
    await cycle.inject([], {}, { crawlId: 'd2-none' });
    await cycle.run('GENERATE', { batch: 'asked' }, { crawlId: 'd2-none' });
    for (const type of ['FETCH', 'PARSE', 'UPDATEDB'] as const)
      expect(await cycle.run(type, { batch: 'asked' }, { crawlId: 'd2-none' })).toMatchObject({
        state: 'FINISHED',
        result: { reason: 'no-urls' },
      });
  });

  it.each([
    ['fetches all of it again', {}, { SUCCESS: 2 }, 2],
    ['skips all of it with resume', { resume: true }, { fetched_before: 2 }, 1],
  ])('after waiting for another FETCH of the batch %s (D3, D4)', async (_, args, counts, times) => {
    const crawlId = `waited-${times}`;
    const isWaiting = async () =>
      (await cycle.db.query(`select from job where crawl_id = $1 and msg like '%which holds FETCH/%'`, [crawlId]))
        .length;
    let waited = false;
    const web = await site(async (req, res) => {
      if (!waited) await expect.poll(isWaiting).toBe(1);
      waited = true;
      return (req.url === '/robots.txt' ? status(404) : page('x'))(req, res);
    });
    await cycle.inject(urls(web, 2), {}, { crawlId });
    const batch = await generate(crawlId);
    const first = fetchBatch(crawlId, { batch });
    await expect.poll(() => web.log.length).toBe(1);
    const { id } = (await Promise.all([fetchBatch(crawlId, { batch, ...args }), first]))[0];
    const second = (await cycle.jobs.find(id))!;
    expect([second.state, counters(second, 'FetcherStatus')]).toEqual(['FINISHED', counts]);
    expect(visits(web).toSorted()).toEqual(['/0', '/1'].flatMap((path) => Array.from({ length: times }, () => path)));
  });

  it('fetches a batch again, and with resume only pages not fetched yet (D3, D4)', async () => {
    const web = await open();
    await crawl('d4', urls(web, 4));
    await fetchBatch('d4');
    expect(visits(web).sort()).toEqual(['/0', '/0', '/1', '/1', '/2', '/2', '/3', '/3']);
    // The state that a FETCH stopped half-way leaves.
    await cycle.db.query(
      `update webpage set fetch_mark = null where crawl = (select id from crawl where name = 'd4') and key similar to '%/[01]'`,
    );
    const job = await fetchBatch('d4', { resume: true });
    expect(visits(web).slice(8).sort()).toEqual(['/0', '/1']);
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 2, fetched_before: 2 });
    expect(counter(job, 'Fetcher', 'selected')).toBe(4);
  });

  it('fetches a batch in a different order each time (D5)', async () => {
    const web = await open();
    await crawl('d5', urls(web, 50));
    const first = visits(web);
    await fetchBatch('d5');
    const second = visits(web).slice(50);
    expect([...second].sort()).toEqual([...first].sort());
    expect(second).not.toEqual(first);
  });

  it('fetches all pages of a host in one task, each once, when there are several tasks (D6, D26)', async () => {
    const hosts = await Promise.all([1, 2, 3, 4, 5].map((n) => site(page('x'), `127.0.0.${n}`)));
    const job = await crawl(
      'd6',
      hosts.flatMap((host) => urls(host, 40)),
      { workers: 3 },
    );
    const tasks = await cycle.db.query<{ counters: { FetcherStatus?: { SUCCESS: number } } }>(
      `select counters from job_task where job = $1`,
      [job.id],
    );
    expect(tasks).toHaveLength(3);
    for (const task of tasks) expect((task.counters.FetcherStatus?.SUCCESS ?? 0) % 40).toBe(0);
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 200 });
    for (const host of hosts)
      expect(visits(host).sort()).toEqual(
        urls(host, 40)
          .map((url) => new URL(url).pathname)
          .sort(),
      );
  });

  it('loses no page of a host with several threads whose server resets each connection that is used again', async () => {
    const used = new WeakSet<object>();
    const web = await site((req, res) => {
      if (used.has(req.socket)) return reset(req, res);
      used.add(req.socket);
      setTimeout(() => page('ok')(req, res), 10);
    });
    const urls = Array.from({ length: 30 }, (_, n) => `${web.url}/${n}`);
    const job = await crawl('reused', urls, { conf: { 'fetcher.threads.per.queue': '3' } });
    expect(counters(job, 'FetcherStatus')).toEqual({ SUCCESS: 30 });
  });

  it('fails without http.agent.name', async () => {
    const job = await fetchBatch('d4', {}, { conf: { 'http.agent.name': '' } });
    expect(job.state).toBe('FAILED');
    expect(job.msg).toContain('No agents listed');
  });
});

describe('limits of a FETCH', () => {
  it('opens at most threads requests at once over all hosts (D16)', async () => {
    let open = 0;
    let most = 0;
    const slow: Handler = async (_req, res) => {
      most = Math.max(most, ++open);
      await new Promise((resolve) => setTimeout(resolve, 30));
      open--;
      res.writeHead(200, { 'content-type': 'text/html' }).end('x');
    };
    const hosts = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => site(slow, `127.0.0.${n}`)));
    await crawl(
      'd16',
      hosts.flatMap((host) => ['/a', '/b', '/c'].map((path) => host.url + path)),
    );
    expect(most).toBeGreaterThan(3);
    most = 0;
    await fetchBatch('d16', { threads: 3 });
    expect(most).toBe(3);
  });

  it('ends at the time limit and leaves the remaining pages in the batch; UPDATEDB releases them', async () => {
    const web = await site(page('x'));
    const job = await crawl('time', [`${web.url}/a`, `${web.url}/b`], { conf: { 'fetcher.timelimit.mins': '0' } });
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'time-limit' } });
    expect(counters(job, 'FetcherStatus')).toEqual({ 'HitByTimeLimit-QueueFeeder': 2 });
    expect(visits(web)).toEqual([]);
    for (const row of await pages(cycle, 'time')) expect(row).toMatchObject({ status: 1, fetch_mark: null });
    await cycle.run('UPDATEDB', { batch: (await pages(cycle, 'time'))[0]!.generate_mark }, { crawlId: 'time' });
    for (const row of await pages(cycle, 'time'))
      expect(row).toMatchObject({ generate_mark: null, cash: 1, spend: null });
    expect(await generate('time')).not.toBe('null');
  });

  it('ends when it is slower than fetcher.throughput.threshold.pages', async () => {
    const web = await site(async (_req, res) => {
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      res.writeHead(200, { 'content-type': 'text/html' }).end('x');
    });
    const conf = {
      'fetcher.throughput.threshold.pages': '100',
      'fetcher.throughput.threshold.check.after': '0',
      'fetcher.throughput.threshold.retries': '0',
    };
    const job = await crawl(
      'slow',
      Array.from({ length: 20 }, (_, i) => `${web.url}/${i}`),
      { conf },
    );
    expect(job.result).toMatchObject({ result: '0', reason: 'throughput-limit' });
    expect(sum(counters(job, 'FetcherStatus'))).toBe(20);
    expect(counter(job, 'FetcherStatus', 'pending')).toBeGreaterThan(0);
    expect(visits(web).length).toBe(counter(job, 'FetcherStatus', 'SUCCESS'));
  });

  it('fails all pages of a host after fetcher.max.exceptions.per.queue failures in a row', async () => {
    const web = await site({ '/robots.txt': status(404), '*': reset });
    const conf = { 'fetcher.max.exceptions.per.queue': '2', 'fetcher.queue.depth.multiplier': '1' };
    const job = await crawl(
      'giveup',
      Array.from({ length: 30 }, (_, i) => `${web.url}/${i}`),
      { conf },
    );
    const counted = counters(job, 'FetcherStatus');
    expect(counted['EXCEPTION']).toBeLessThanOrEqual(3);
    expect(counted['above_exception_threshold']).toBe(30 - counted['EXCEPTION']!);
    expect((await pages(cycle, 'giveup')).every((row) => row.status === 34)).toBe(true);
  });
});

describe('addresses that the egress guard blocks', () => {
  it('are refused before connecting, and the protocol status names the rule (M12)', async () => {
    const web = await site(page('inner'));
    const job = await crawl('egress', [`${web.url}/`], { conf: { 'http.filter.ipaddress.exclude': 'loopback' } });
    const row = await pageAt(cycle, '/', 'egress');
    expect(row).toMatchObject({ status: 3, protocol_code: 17, http_status: null });
    expect(row.protocol_args?.[0]).toMatch(/^blocked: .*loopback/);
    expect(counters(job, 'FetcherStatus')).toEqual({ ACCESS_DENIED: 1 });
    expect(web.connections()).toBe(0);
  });
});

it('two crawls fetch the same URL independently', async () => {
  const web = await site(page('x'));
  await crawl('mine', [`${web.url}/`]);
  await cycle.inject([`${web.url}/`], {}, { crawlId: 'yours' });
  expect(visits(web)).toEqual(['/']);
  expect((await pageAt(cycle, '/', 'yours')).status).toBe(1);
  await fetchBatch('yours', { batch: await generate('yours') });
  expect(visits(web)).toEqual(['/', '/']);
});
