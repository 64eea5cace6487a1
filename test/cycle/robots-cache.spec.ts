import { gzipSync } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConf } from '../../src/conf/properties.js';
import { limitsOf } from '../../src/cycle/fetch/http-conf.js';
import { RobotsCache, type RobotsParts } from '../../src/cycle/fetch/robots-cache.js';
import { makeEgressGuard } from '../../src/net/egress-guard.js';
import { localFailure } from '../../src/net/http-answer.js';
import { HttpClient } from '../../src/net/http-client.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';
import { type Handler, type Site, cutShort, page, redirect, reset, slowDrip, startSite } from '../support/site.js';

/** What a task knows of robots.txt: how much of it is kept, and what a file that cannot be had means (RFC 9309 §2.3.1.4). */

let cycle: Cycle;
let client: HttpClient;
/** Errors of the resolver by name; all other names are on loopback. */
const unresolved = new Map<string, string>();
const sites: Site[] = [];
const caches: RobotsCache[] = [];

beforeAll(async () => {
  cycle = await openCycle();
});
beforeEach(async () => {
  await cycle.pool.query('delete from robots');
  unresolved.clear();
  client = new HttpClient({
    guard: makeEgressGuard({ exclude: [], include: [] }),
    verifyTls: true,
    resolve: (name) => {
      const code = unresolved.get(name);
      return code === undefined ? Promise.resolve(['127.0.0.1']) : Promise.reject(Object.assign(new Error(), { code }));
    },
  });
});
afterEach(async () => {
  client.close();
  for (const cache of caches.splice(0)) cache.close();
  for (const site of sites.splice(0)) await site.close();
});
afterAll(() => cycle.close());

async function site(...given: Parameters<typeof startSite>): Promise<Site> {
  const started = await startSite(...given);
  sites.push(started);
  return started;
}

async function closedPort(): Promise<number> {
  const { port, close } = await startSite({});
  await close();
  return port;
}

/** The cache of one task; it counts the looks into the table. */
function taskCache(given: Record<string, string> = {}, more: Partial<RobotsParts> = {}) {
  const reads = { count: 0 };
  const db: Pick<typeof cycle.pool, 'query'> = Object.create(cycle.pool, {
    query: {
      value: (statement: { text: string; values: unknown[] }) => {
        if (/^\s*select/.test(statement.text)) reads.count++;
        return cycle.pool.query(statement);
      },
    },
  });
  const { conf } = parseConf({ ...loopback, ...given });
  const { signal } = new AbortController();
  const cache = new RobotsCache({ db, client, conf, headers: {}, limits: limitsOf(conf), signal, ...more });
  caches.push(cache);
  return { reads, cache };
}

const rules = (text: string) => page(text, { 'content-type': 'text/plain' });

describe('files that are large together', () => {
  it('are dropped from memory, and read again from the table: nobody is asked twice', async () => {
    const lines = Array.from({ length: 5_000 }, (_, i) => `disallow: /${i}/`);
    const web = await site({ '/robots.txt': rules(`user-agent: *\n${lines.join('\n')}`) }, { host: '0.0.0.0' });
    const { cache, reads } = taskCache();
    const origins = Array.from({ length: 100 }, (_, i) => `http://127.0.9.${i + 1}:${web.port}`);
    for (const origin of origins) expect((await cache.of(origin)).fetched).toBe(true);
    expect([web.log.length, reads.count]).toEqual([100, 100]);

    const { answer, fetched } = await cache.of(origins[0]!);
    expect([answer.kind, fetched, web.log.length, reads.count]).toEqual(['rules', false, 100, 101]);
    if (answer.kind === 'rules') expect(cache.judge(answer.robots, '/4999/x').allowed).toBe(false);

    await cache.of(origins[0]!);
    await cache.of(origins[99]!);
    expect([web.log.length, reads.count]).toEqual([100, 101]);
  });

  it('stay in memory where they are so for other crawlers', async () => {
    const lines = Array.from({ length: 20_000 }, (_, i) => `disallow: /${i}/`);
    const text = `user-agent: another\n${lines.join('\n')}\nuser-agent: *\ndisallow: /no/`;
    const web = await site({ '/robots.txt': rules(text) }, { host: '0.0.0.0' });
    const { cache, reads } = taskCache();
    const origins = Array.from({ length: 15 }, (_, i) => `http://127.0.9.${i + 1}:${web.port}`);
    for (const origin of [...origins, ...origins]) await cache.of(origin);
    expect([web.log.length, reads.count]).toEqual([15, 15]);
  });

  it('are asked for once in a task, whose queues go round, also where they are believed for no time', async () => {
    const lines = Array.from({ length: 200 }, (_, i) => `disallow: /folder/number/${i}/`);
    const web = await site({ '/robots.txt': rules(`user-agent: *\n${lines.join('\n')}`) }, { host: '0.0.0.0' });
    const { cache } = taskCache({ 'http.robots.cache.seconds': '0' });
    const origins = Array.from({ length: 2_000 }, (_, i) => `http://127.0.${9 + (i >> 8)}.${i & 255}:${web.port}`);
    for (const fetched of [true, false]) {
      for (const origin of origins)
        expect(await cache.of(origin)).toMatchObject({ answer: { kind: 'rules' }, fetched });
    }
    expect(web.log).toHaveLength(origins.length);
    // The next task asks anew.
    expect(await taskCache({ 'http.robots.cache.seconds': '0' }).cache.of(origins[0]!)).toMatchObject({
      fetched: true,
    });
  });

  it('do not drive out what is known of a host that is put off', async () => {
    const lines = Array.from({ length: 40_000 }, (_, i) => `allow:/${i}`);
    const large = await site({ '/robots.txt': rules(`user-agent:*\n${lines.join('\n')}`) }, { host: '0.0.0.0' });
    const ill = await site({ '/robots.txt': page('', {}, 503) });
    const { cache } = taskCache();
    await cache.of(ill.url);
    for (let i = 1; i <= 6; i++) await cache.of(`http://127.0.9.${i}:${large.port}`);
    expect(await cache.of(ill.url)).toMatchObject({ answer: { kind: 'wait' }, fetched: false });
    expect(ill.log).toHaveLength(1);
  });
});

describe('files of several tasks at once', () => {
  const lines = Array.from({ length: 40_000 }, (_, i) => `allow:/${i}`);
  const large = () => site({ '/robots.txt': rules(`user-agent:*\n${lines.join('\n')}`) }, { host: '0.0.0.0' });

  it('share one memory: those of one task make room for those of another', async () => {
    const { port } = await large();
    const first = taskCache();
    await first.cache.of(`http://127.0.9.1:${port}`);
    for (let i = 2; i <= 7; i++) await taskCache().cache.of(`http://127.0.9.${i}:${port}`);
    expect(await first.cache.of(`http://127.0.9.1:${port}`)).toMatchObject({
      answer: { kind: 'rules' },
      fetched: false,
    });
    expect(first.reads.count).toBe(2);
  });

  it('leave it with their task', async () => {
    const { port } = await large();
    const first = taskCache();
    await first.cache.of(`http://127.0.9.1:${port}`);
    for (let i = 2; i <= 7; i++) {
      const { cache } = taskCache();
      await cache.of(`http://127.0.9.${i}:${port}`);
      cache.close();
    }
    await first.cache.of(`http://127.0.9.1:${port}`);
    expect(first.reads.count).toBe(1);
  });
});

describe('a robots.txt that redirects to where nobody can be reached', () => {
  it.each<[where: string, target: (closed: number, open: number) => string]>([
    ['a host that refuses', (closed) => `http://127.0.9.1:${closed}/robots.txt`],
    ['another port of the host that refuses', (closed) => `http://127.0.0.1:${closed}/robots.txt`],
    ['a name that nobody knows', () => 'http://nowhere.test/robots.txt'],
    ['a server without TLS', (_closed, open) => `https://127.0.0.1:${open}/robots.txt`],
  ])('%s, puts the host off', async (_where, target) => {
    unresolved.set('nowhere.test', 'ENOTFOUND');
    const closed = await closedPort();
    const web = await site((req, res) => redirect(target(closed, web.port))(req, res));
    const { cache } = taskCache();
    expect(await cache.of(web.url)).toMatchObject({ answer: { kind: 'wait' }, fetched: true });
    const { rows } = await cycle.pool.query('select error from robots where origin = $1', [web.url]);
    expect(rows[0]).toMatchObject({ error: expect.stringMatching(/^robots.txt: /) });
  });
});

describe('a robots.txt that broke off behind a redirect', () => {
  const text = `user-agent: *\ndisallow: /no/\n${'#'.repeat(500)}\ndisallow: /`;
  const gzipped = gzipSync(text, { level: 0 });
  const half = (coding: string, body: Buffer) =>
    page(body, { 'content-type': 'text/plain', 'content-encoding': coding });
  const broken: [how: string, handler: Handler][] = [
    ['by a damaged coding', half('gzip', gzipped.subarray(0, 300))],
    ['by the connection', cutShort(text.slice(0, 300), text.length)],
    ['by time', slowDrip(100, text.slice(0, 300))],
  ];
  const conf = {
    'http.partial.truncated': 'true',
    'http.time.limit': '1',
    'http.robots.503.defer.visits.retries': '1',
  };

  /** A site whose robots.txt is that of another one, which breaks off the first time. */
  async function moved(handler: Handler): Promise<{ here: Site; there: Site }> {
    const whole = rules(text);
    const there: Site = await site((req, res) => (there.log.length === 1 ? handler : whole)(req, res), {
      host: '127.0.9.1',
    });
    return { here: await site({ '/robots.txt': redirect(`${there.url}/robots.txt`, 301) }), there };
  }

  it.each(broken)('(%s) is not kept as the file of the host that it came from', async (_how, handler) => {
    const { here, there } = await moved(handler);
    expect(await taskCache(conf).cache.of(here.url)).toMatchObject({ answer: { kind: 'wait' }, fetched: true });
    expect((await cycle.pool.query('select from robots where origin = $1', [there.url])).rowCount).toBe(0);
    const { cache } = taskCache(conf);
    const { answer, fetched } = await cache.of(there.url);
    expect([answer.kind, fetched]).toEqual(['rules', true]);
    if (answer.kind === 'rules') expect(cache.judge(answer.robots, '/x').allowed).toBe(false);
  });

  it.each(broken)('(%s) is asked for once more in its task where that is wanted', async (_how, handler) => {
    const { here, there } = await moved(handler);
    const { cache } = taskCache(conf);
    expect(await cache.of(here.url)).toMatchObject({ answer: { kind: 'wait' }, fetched: true });
    expect(cache.again(here.url)).toBe(true);
    expect(await cache.of(here.url)).toMatchObject({ answer: { kind: 'rules' }, fetched: true });
    expect(there.log).toHaveLength(2);
  });
});

describe('a host that cannot be reached', () => {
  it('counts as one without robots.txt, until it can be: then the file is read', async () => {
    const port = await closedPort();
    const { cache } = taskCache();
    const origin = `http://127.0.0.1:${port}`;
    const unmet = { ok: false, code: 'refused', message: 'the connection was refused' };
    for (let i = 0; i < 2; i++)
      expect(await cache.of(origin)).toEqual({ answer: { kind: 'allow' }, fetched: false, unmet });
    await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') }, { port });
    expect(await cache.of(origin)).toMatchObject({ answer: { kind: 'rules' }, fetched: true });
  });

  it('nor its name resolved: as well', async () => {
    const web = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') });
    const { cache } = taskCache();
    const origin = `http://a.test:${web.port}`;
    unresolved.set('a.test', 'ENOTFOUND');
    const unmet = { ok: false, code: 'dns', message: 'the host name has no address' };
    expect(await cache.of(origin)).toEqual({ answer: { kind: 'allow' }, fetched: false, unmet });
    unresolved.clear();
    expect(await cache.of(origin)).toMatchObject({ answer: { kind: 'rules' }, fetched: true });
  });

  it('because no TLS comes about, was asked all the same: it counts as one without robots.txt, and is asked for the file once', async () => {
    const web = await site({});
    const { cache } = taskCache();
    const origin = web.url.replace('http:', 'https:');
    for (const fetched of [true, false]) expect(await cache.of(origin)).toEqual({ answer: { kind: 'allow' }, fetched });
    expect(web.connections()).toBe(1);
  });

  it('because its name server does not answer now, is put off', async () => {
    unresolved.set('a.test', 'EAI_AGAIN');
    const { cache } = taskCache();
    expect(await cache.of('http://a.test')).toMatchObject({ answer: { kind: 'wait' } });
  });
});

// RFC 9309 section 2.3.1.4: after a long time it may count as unavailable. Pages that are only put off would never be gone.
describe('a robots.txt that the network keeps from us, task after task', () => {
  it.each<[why: string, origin: () => Promise<string>]>([
    [
      'no name server answers',
      async () => {
        unresolved.set('a.test', 'EAI_AGAIN');
        return 'http://a.test';
      },
    ],
    [
      'its redirect leads to a closed port',
      async () => {
        const closed = await closedPort();
        return (await site({ '/robots.txt': redirect(`https://127.0.0.1:${closed}/robots.txt`) })).url;
      },
    ],
  ])('(%s) puts its host off for 30 days and db.fetch.retry.max times, and then allows the pages', async (_, of) => {
    const origin = await of();
    const ask = async () => (await taskCache({ 'db.fetch.retry.max': '2' }).cache.of(origin)).answer.kind;
    const backBy = (days: number) =>
      cycle.db.query(
        `update robots set failing_since = now() - make_interval(days => $2), fetched_at = now() - interval '1 hour' where origin = $1`,
        [origin, days],
      );
    expect(await ask()).toBe('wait');
    await backBy(31);
    expect(await ask()).toBe('wait');
    await backBy(29);
    expect([await ask(), await ask()]).toEqual(['wait', 'wait']);
    await backBy(31);
    expect([await ask(), await ask()]).toEqual(['allow', 'allow']);
  });

  /** A site whose robots.txt answers 503, or breaks off by the connection; asked by a new task each time. */
  async function ailing(most = 0) {
    let how: 'status' | 'network' = 'status';
    const web = await site((req, res) => (how === 'status' ? page('', {}, 503) : reset)(req, res));
    const ask = async (by: typeof how) => {
      how = by;
      return (await taskCache({ 'db.fetch.retry.max': String(most) }).cache.of(web.url)).answer.kind;
    };
    /** What was so far was longer ago. */
    const later = (time: string) =>
      cycle.db.query(
        'update robots set fetched_at = fetched_at - $1::interval, failing_since = failing_since - $1::interval',
        [time],
      );
    const failures = async () =>
      (await cycle.pool.query<{ failures: number }>('select failures from robots')).rows[0]?.failures;
    return { ask, later, failures };
  }

  it('begins with the network: a month of 503 before it counts for nothing', async () => {
    const { ask, later, failures } = await ailing();
    for (let i = 0; i < 3; i++) await ask('status');
    expect(await failures()).toBe(3);
    await later('31 days');
    expect([await ask('network'), await failures()]).toEqual(['wait', 1]);
    await later('31 days');
    expect(await ask('network')).toBe('allow');
  });

  it('ends with a status: the server is there', async () => {
    const { ask, later, failures } = await ailing();
    await ask('network');
    await later('31 days');
    expect([await ask('status'), await failures()]).toEqual(['wait', 1]);
    expect([await ask('network'), await failures()]).toEqual(['wait', 1]);
  });

  it('counts once a day, whatever happens on it', async () => {
    const { ask, later, failures } = await ailing(3);
    await ask('network');
    await later('31 days');
    for (let i = 0; i < 5; i++) expect(await ask('network')).toBe('wait');
    expect(await failures()).toBe(2);
    await later('25 hours');
    expect([await ask('network'), await ask('network'), await failures()]).toEqual(['wait', 'wait', 3]);
    await later('25 hours');
    expect([await ask('network'), await failures()]).toEqual(['allow', 4]);
  });

  it('counts every day also where it is asked for several times on each', async () => {
    const { ask, later, failures } = await ailing(3);
    const answers: string[] = [];
    for (let days = 0; days <= 31; days += 1 / 3) {
      answers.push(await ask('network'));
      await later('8 hours');
    }
    expect([answers.indexOf('allow'), await failures()]).toEqual([90, 32]);
  });

  it.each<[why: string, given: () => { more: Partial<RobotsParts>; cut?: () => void }]>([
    [
      'its redirect leads to a host that we leave alone',
      () => ({
        more: { turn: () => Promise.resolve(localFailure('timeout', 'it leads to a host that is left alone')) },
      }),
    ],
    [
      'the request is cut while it waits for its turn',
      () => {
        const cut = new AbortController();
        return { more: { turn: () => Promise.resolve(undefined), signal: cut.signal }, cut: () => cut.abort() };
      },
    ],
  ])('(%s) counts neither, for that is ours', async (_why, given) => {
    const there = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') }, { host: '127.0.9.1' });
    const web = await site({ '/robots.txt': redirect(`${there.url}/robots.txt`) });
    const { more, cut } = given();
    await cycle.pool.query(
      `insert into robots (host, origin, fetched_at, expires_at, error, failures, failing_since)
       values ('127.0.0.1', $1, now() - interval '1 day', now(), 'no answer in time', 9, now() - interval '40 days')`,
      [web.url],
    );
    const asking = taskCache({}, more).cache.of(web.url);
    if (cut) setTimeout(cut, 100);
    expect(await asking).toMatchObject({ answer: { kind: 'wait' } });
    const row = `select failures, now() - failing_since > interval '39 days' as since from robots`;
    expect((await cycle.pool.query(row)).rows).toEqual([{ failures: 9, since: true }]);
    expect(there.log).toEqual([]);
  });

  it('counts once a day also where something of ours was in the way earlier that day', async () => {
    const closed = await closedPort();
    const web = await site({ '/robots.txt': redirect(`https://127.0.9.1:${closed}/robots.txt`) });
    const ask = (more: object) => taskCache({}, more).cache.of(web.url);
    await cycle.pool.query(
      `insert into robots (host, origin, fetched_at, expires_at, error, failures, failing_since)
       values ('127.0.0.1', $1, now() - interval '2 days', now(), 'no answer in time', 9, now() - interval '20 days 1 hour')`,
      [web.url],
    );
    const failures = async () => (await cycle.pool.query('select failures from robots')).rows;
    // The queue of the other host is with another task, until this one is stopped.
    await ask({ turn: () => Promise.resolve(undefined), signal: AbortSignal.timeout(100) });
    expect(await failures()).toEqual([{ failures: 9 }]);
    await ask({});
    expect(await failures()).toEqual([{ failures: 10 }]);
    await ask({});
    expect(await failures()).toEqual([{ failures: 10 }]);
  });

  it('is read as soon as it can be had', async () => {
    const web = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') });
    const origin = `http://a.test:${web.port}`;
    const ask = () => taskCache({ 'db.fetch.retry.max': '0' }).cache.of(origin);
    unresolved.set('a.test', 'EAI_AGAIN');
    expect(await ask()).toMatchObject({ answer: { kind: 'wait' } });
    await cycle.db.query(`update robots set failing_since = '2020-01-01'`);
    expect(await ask()).toMatchObject({ answer: { kind: 'allow' } });
    unresolved.clear();
    expect(await ask()).toMatchObject({ answer: { kind: 'rules' } });
  });

  it('is waited for without an end where the server itself asks for that', async () => {
    const ill = await site({ '/robots.txt': page('', {}, 503) });
    for (let i = 0; i < 3; i++) {
      const { cache } = taskCache({ 'db.fetch.retry.max': '0' });
      expect(await cache.of(ill.url)).toMatchObject({ answer: { kind: 'wait' } });
    }
  });
});
