import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { openDataSource } from '../../src/db/data-source.js';
import { HostDbJob } from '../../src/cycle/hostdb/hostdb.job.js';
import { readHostLines } from '../../src/core/page/host-lines.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { IN_THIS_DATABASE } from '../support/locks.js';
import { runKilled } from './interrupted.js';
import { counters, expectConsistent } from './table.js';

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

/** Disables lookups of addresses. */
const noDns = { 'hostdb.check.new': 'false', 'hostdb.check.known': 'false', 'hostdb.check.failed': 'false' };

interface HostRow extends Record<string, unknown> {
  host: string;
  homepage: string | null;
  metadata: Record<string, string> | null;
  hostdb: Record<string, unknown> | null;
  dns_failures: number;
  dns_checked_at: Date | null;
}
const hosts = async (crawlId: string) =>
  Object.fromEntries(
    (
      await cycle.db.query<HostRow>(
        `select h.* from host h join crawl c on c.id = h.crawl where c.name = $1 order by host`,
        [crawlId],
      )
    ).map((row) => [row.host, row]),
  );
const crawlOf = async (crawlId: string) =>
  (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId]))[0]!.id;
const run = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = noDns) =>
  cycle.run('HOSTDB', args, { crawlId, conf });

describe('HOSTDB', () => {
  it('computes statistics of numbers, texts and inlinks, and counts overdue pages', async () => {
    await cycle.inject(
      [
        'http://a.test/\tsize=10',
        'http://a.test/x\tsize=20\tkind=b',
        'http://a.test/y\tsize=huge\tkind=a',
        'http://b.test/',
      ],
      {},
      { crawlId: 'facts' },
    );
    const crawl = await crawlOf('facts');
    await cycle.db.query(`update webpage set content_type = 'text/html' where crawl = $1 and key <> 'test.a:http/y'`, [
      crawl,
    ]);
    await cycle.db.query(
      `update webpage set fetch_time = now() + interval '1 day' where crawl = $1 and key = 'test.a:http/'`,
      [crawl],
    );
    for (const ms of [10, 20, 30, 40])
      await cycle.db.query(
        `insert into fetch_history (crawl, host, key, time, status, protocol_code, ms) values ($1, 'test.a', 'test.a:http/', now() - make_interval(secs => $2), 2, 1, $2)`,
        [crawl, ms],
      );
    for (const source of ['test.b:http/', 'test.b:http/2', 'test.c:http/'])
      await cycle.db.query(
        `insert into inlink (crawl, host, key, source, score) values ($1, 'test.a', 'test.a:http/', $2, 0)`,
        [crawl, source],
      );
    const conf = {
      ...noDns,
      'hostdb.numeric.fields': '_rs_, size',
      'hostdb.string.fields': 'Content-Type, kind',
      'hostdb.percentiles': '50,100',
    };
    const job = await run('facts', {}, conf);
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
    expect(counters(job, 'UpdateHostDb')).toMatchObject({ total_hosts: 2, checked_hosts: 0 });
    const { 'test.a': a, 'test.b': b } = await hosts('facts');
    expect(a!.hostdb).toEqual({
      overdue: 2,
      inlinks: 3,
      linkingHosts: 2,
      topLinkingHosts: { 'b.test': 2, 'c.test': 1 },
      numbers: {
        _rs_: { count: 4, min: 10, max: 40, sum: 100, avg: 25, percentiles: { '50': 25, '100': 40 } },
        size: { count: 2, min: 10, max: 20, sum: 30, avg: 15, percentiles: { '50': 15, '100': 20 } },
      },
      strings: { 'Content-Type': { 'text/html': 2 }, kind: { a: 1, b: 1 } },
    });
    expect(b!.hostdb).toMatchObject({ overdue: 1, inlinks: 0, linkingHosts: 0 });
  });

  it.each<[string, [string, number, string | null][], string | null]>([
    ['the root page', [['http/', 2, null]], 'http://a.test/'],
    [
      'https rather than http',
      [
        ['http/', 2, null],
        ['https/', 2, null],
      ],
      'https://a.test/',
    ],
    [
      'a page rather than a redirect',
      [
        ['http/', 2, null],
        ['https/', 4, 'http://a.test/'],
      ],
      'http://a.test/',
    ],
    ['the target of a redirect of the root', [['http/', 5, 'http://www.a.test/home']], 'http://www.a.test/home'],
    [
      'none when the root was not fetched',
      [
        ['http/', 1, null],
        ['http/x', 2, null],
      ],
      null,
    ],
  ])('sets the home page: %s', async (name, rows, homepage) => {
    const crawlId = `home-${name.replaceAll(' ', '-')}`;
    await cycle.inject(
      rows.map(
        ([path, status]) =>
          `${path.replace('/', '://a.test/')}\tnutch.status=${['', 'db_unfetched', 'db_fetched', '', 'db_redir_temp', 'db_redir_perm'][status]}`,
      ),
      {},
      { crawlId },
    );
    const crawl = await crawlOf(crawlId);
    for (const [path, , target] of rows)
      await cycle.db.query('update webpage set redirect_url = $3 where crawl = $1 and key = $2', [
        crawl,
        `test.a:${path}`,
        target,
      ]);
    await run(crawlId);
    expect((await hosts(crawlId))['test.a']!.homepage).toBe(homepage);
  });

  it('stores metadata of hosts from the argument hosts, as the host injector of 2.x does', async () => {
    await cycle.inject(['http://a.test/'], {}, { crawlId: 'inject' });
    const job = await run('inject', {
      hosts: '# hosts\na.test\tq_cd=2000\towner=x\nhttps://New.Test/\towner=y\nnot a host\tk=v\n\na.test\towner=z',
    });
    expect(counters(job, 'UpdateHostDb')).toMatchObject({ hosts_injected: 2, hosts_refused: 1, metadata_refused: 0 });
    const { 'test.a': a, 'test.new': fresh } = await hosts('inject');
    expect(a!.metadata).toEqual({ q_cd: '2000', owner: 'z' });
    expect(fresh).toMatchObject({ metadata: { owner: 'y' }, domain: 'test.new' });
  });

  it('warns of fields that are too many, and counts the first', async () => {
    await cycle.inject(['http://a.test/'], {}, { crawlId: 'fields' });
    const fields = Array.from({ length: 22 }, (_, n) => `f${n}`);
    const job = await run('fields', {}, { ...noDns, 'hostdb.string.fields': fields.join(',') });
    expect(job.result?.warnings).toEqual([
      'hostdb.string.fields names 22: the last 2 are left out, as HOSTDB takes 20',
    ]);
  });

  it('skips hosts whose home page the URL filters reject', async () => {
    await cycle.inject(['http://a.test/', 'http://b.test/'], {}, { crawlId: 'filter' });
    const conf = { ...noDns, 'hostdb.url.filter': 'true', 'urlfilter.regex.rules': '-a\\.test\n+.' };
    expect(counters(await run('filter', {}, conf), 'UpdateHostDb')).toMatchObject({
      total_hosts: 2,
      filtered_records: 1,
    });
    const { 'test.a': a, 'test.b': b } = await hosts('filter');
    expect([a!.hostdb === null, b!.hostdb === null]).toEqual([true, false]);
  });

  it('processes filtered hosts with the argument filter false', async () => {
    await cycle.inject(['http://a.test/', 'http://b.test/'], {}, { crawlId: 'unfiltered' });
    const conf = { ...noDns, 'hostdb.url.filter': 'true', 'urlfilter.regex.rules': '-a\\.test\n+.' };
    const job = await run('unfiltered', { filter: false }, conf);
    expect(counters(job, 'UpdateHostDb')).toMatchObject({ total_hosts: 2, filtered_records: 0 });
  });

  it.each<[string, Record<string, unknown>, string, number]>([
    ['as it is as shipped', {}, 'false', 0],
    ['normalized with hostdb.url.normalize', {}, 'true', 1],
    ['normalized with the argument normalize', { normalize: true }, 'false', 1],
    ['as it is with the argument normalize false', { normalize: false }, 'true', 0],
  ])('filters the home page of a host %s', async (name, args, normalize, filtered) => {
    await cycle.inject(['http://www.a.test/'], {}, { crawlId: name });
    const conf = {
      ...noDns,
      'hostdb.url.filter': 'true',
      'hostdb.url.normalize': normalize,
      'urlfilter.regex.rules': '-//a\\.test\n+.',
      'plugin.includes.also': 'urlnormalizer-host',
      'urlnormalizer.hosts.rules': 'www.a.test a.test',
    };
    expect(counters(await run(name, args, conf), 'UpdateHostDb')).toMatchObject({ filtered_records: filtered });
  });
});

describe('lookups of HOSTDB', () => {
  /** Runs the job with a resolver that knows some names; returns the names it looked up. */
  async function resolving(crawlId: string, known: string[], conf: Record<string, unknown> = {}, args = {}) {
    const asked: string[] = [];
    const job = new HostDbJob();
    job.resolve = (name) => {
      asked.push(name);
      return known.includes(name) ? Promise.resolve(['192.0.2.1']) : Promise.reject(new Error('ENOTFOUND'));
    };
    const { counted } = await runKilled(job, {
      pool: cycle.pool,
      crawl: await crawlOf(crawlId),
      args,
      writes: 100,
      conf,
    });
    return { asked: asked.sort(), counted };
  }

  it('resolve new hosts, count failures in a row and repeat after hostdb.recheck.interval', async () => {
    await cycle.inject(['http://a.test/', 'http://b.test/', 'http://192.0.2.9/'], {}, { crawlId: 'dns' });
    const first = await resolving('dns', ['a.test']);
    expect(first.asked).toEqual(['a.test', 'b.test']);
    expect(first.counted).toMatchObject({ new_known_host: 1, new_unknown_host: 1, checked_hosts: 2 });
    expect((await resolving('dns', [])).asked).toEqual([]);
    expect((await resolving('dns', [], { 'hostdb.recheck.interval': 0, 'hostdb.check.known': false })).asked).toEqual([
      'b.test',
    ]);
    expect((await hosts('dns'))['test.b']!.dns_failures).toBe(2);
    const again = await resolving('dns', ['a.test', 'b.test'], { 'hostdb.force.check': true });
    expect(again.counted).toMatchObject({ existing_known_host: 1, rediscovered_host: 1 });
    expect((await hosts('dns'))['test.b']!.dns_failures).toBe(0);
  });

  it.each<[string, Record<string, boolean>, boolean, string[]]>([
    ['checkNew resolves those never resolved', { checkNew: true }, false, ['new.test']],
    ['checkKnown those with an address', { checkKnown: true }, false, ['known.test']],
    ['checkFailed those without', { checkFailed: true }, false, ['failed.test']],
    ['checkAll all of them', { checkAll: true }, false, ['failed.test', 'known.test', 'new.test']],
    ['without an argument hostdb.check.* count: none', {}, false, []],
    ['or all', {}, true, ['failed.test', 'known.test', 'new.test']],
    ['an argument that is false counts more', { checkKnown: false }, true, ['failed.test', 'new.test']],
  ])('the arguments say which hosts are resolved: %s', async (name, args, checks, expected) => {
    await cycle.inject(['http://new.test/', 'http://known.test/', 'http://failed.test/'], {}, { crawlId: name });
    await cycle.db.query(
      `update host set dns_checked_at = now() - interval '1 hour', dns_failures = (host = 'test.failed')::int
        where crawl = $1 and host <> 'test.new'`,
      [await crawlOf(name)],
    );
    const conf = Object.fromEntries(['new', 'known', 'failed'].map((kind) => [`hostdb.check.${kind}`, checks]));
    const { asked } = await resolving(name, [], { ...conf, 'hostdb.recheck.interval': 0 }, args);
    expect(asked).toEqual(expected);
  });

  // At most half of the threads of the process: hostdb-names.spec.ts.
  it.each([
    [1, 1],
    [3, 3],
    [25, 4],
  ])('hostdb.num.resolvers.threads %i resolves %i at once', async (threads, atOnce) => {
    const crawlId = `threads-${threads}`;
    await cycle.inject(
      Array.from({ length: 12 }, (_, n) => `http://h${n}.test/`),
      {},
      { crawlId },
    );
    const full = Promise.withResolvers<void>();
    let [running, most] = [0, 0];
    const job = new HostDbJob();
    job.resolve = async () => {
      most = Math.max(most, ++running);
      if (running === atOnce) full.resolve();
      await full.promise;
      running--;
      return ['192.0.2.1'];
    };
    const conf = { 'hostdb.num.resolvers.threads': threads };
    await runKilled(job, { pool: cycle.pool, crawl: await crawlOf(crawlId), args: {}, writes: 100, conf });
    expect(most).toBe(atOnce);
  });

  it('remove hosts after hostdb.purge.failed.hosts.threshold failures, unless they have pages', async () => {
    await cycle.inject(['http://a.test/'], {}, { crawlId: 'purge' });
    const conf = { 'hostdb.recheck.interval': 0, 'hostdb.purge.failed.hosts.threshold': 2 };
    await resolving('purge', [], conf, { hosts: 'empty.test\tk=v' });
    expect(Object.keys(await hosts('purge'))).toEqual(['test.a', 'test.empty']);
    expect((await resolving('purge', [], conf)).counted['purged_unknown_host']).toBe(1);
    expect(Object.keys(await hosts('purge'))).toEqual(['test.a']);
    await expectConsistent(cycle);
  });

  it.each([
    'drain = true',
    'delay_ms = 1',
    'min_delay_ms = 1',
    'threads = 2',
    `blocked_until = now() + interval '1 day'`,
  ])('keep a host with a setting made by hand after failures: %s', async (setting) => {
    const crawlId = `kept-${setting.split(' ')[0]}`;
    const conf = { 'hostdb.recheck.interval': 0, 'hostdb.purge.failed.hosts.threshold': 1 };
    await cycle.inject(['http://written.test/'], {}, { crawlId });
    const crawl = await crawlOf(crawlId);
    await cycle.db.query(
      `insert into host (crawl, host, domain) select $1, host, host from unnest(array['test.set', 'test.unset']) host`,
      [crawl],
    );
    await cycle.db.query(`update host set ${setting} where crawl = $1 and host = 'test.set'`, [crawl]);
    await resolving(crawlId, [], conf);
    expect(Object.keys(await hosts(crawlId))).toEqual(['test.set', 'test.written']);
  });

  it('cover all hosts after a stop among them and a second attempt', async () => {
    const lines = Array.from({ length: 60 }, (_, i) => `http://h${i}.test/`);
    await cycle.inject(lines, {}, { crawlId: 'stopped' });
    const stop = new AbortController();
    let asked = 0;
    const job = new HostDbJob();
    job.resolve = () => {
      if (++asked === 5) stop.abort();
      return Promise.reject(new Error('ENOTFOUND'));
    };
    const crawl = await crawlOf('stopped');
    const { attempts } = await runKilled(job, {
      pool: cycle.pool,
      crawl,
      args: {},
      writes: 100,
      stopping: stop.signal,
    });
    expect(attempts).toBe(2);
    expect(Object.values(await hosts('stopped')).filter(({ dns_checked_at: at }) => at === null)).toEqual([]);
  });

  it('are repeated by the next attempt after a stop has cancelled a waiting statement', async () => {
    await cycle.inject(['http://a.test/'], {}, { crawlId: 'long' });
    const stop = new AbortController();
    const asked = vi.fn(() => Promise.resolve(['192.0.2.1']));
    const job = new HostDbJob();
    job.resolve = asked;
    const crawl = await crawlOf('long');
    // A lock on a table stands for a statement that takes minutes on a host with millions of pages.
    const holder = await cycle.pool.connect();
    await holder.query('begin');
    await holder.query('lock table inlink in access exclusive mode');
    // Without the stop the statement would wait without end.
    const unbounded = await openDataSource(cycle.db.url, { lockTimeoutMs: 0 });
    const ended = runKilled(job, { pool: unbounded.pool, crawl, args: {}, writes: 100, stopping: stop.signal });
    try {
      const waiting = `select from pg_locks where relation = 'inlink'::regclass and not granted and ${IN_THIS_DATABASE}`;
      await expect.poll(() => cycle.db.query(waiting)).toHaveLength(1);
      stop.abort();
      // The next attempt looks the name up again.
      await expect.poll(() => asked.mock.calls.length).toBe(2);
    } finally {
      await holder.query('rollback');
      holder.release();
      expect((await ended).attempts).toBe(2);
      await unbounded.destroy();
    }
    expect((await hosts('long'))['test.a']).toMatchObject({ dns_failures: 0, hostdb: { overdue: 1 } });
  });

  it('count each host once when the job is killed after each write', async () => {
    const lines = Array.from({ length: 450 }, (_, i) => `http://h${i}.test/`);
    await cycle.inject(lines, {}, { crawlId: 'killed' });
    const job = new HostDbJob();
    job.resolve = () => Promise.reject(new Error('ENOTFOUND'));
    const { attempts, counted } = await runKilled(job, {
      pool: cycle.pool,
      crawl: await crawlOf('killed'),
      args: {},
      writes: 1,
    });
    expect(attempts).toBeGreaterThan(2);
    expect(counted).toMatchObject({ total_hosts: 450, new_unknown_host: 450 });
    expect(Object.values(await hosts('killed')).every(({ dns_failures: n }) => n === 1)).toBe(true);
  });
});

describe('host lines of HOSTDB', () => {
  it.each([
    ['a.test\tk=v', [{ host: 'test.a', metadata: { k: 'v' } }]],
    ['a.test\tk=v=w\tno\t=x\tempty=', [{ host: 'test.a', metadata: { k: 'v=w', empty: '' } }]],
    [
      'http://B.test:8080/x\r\na.test',
      [
        { host: 'test.a', metadata: {} },
        { host: 'test.b', metadata: {} },
      ],
    ],
    ['bücher.test\tk=v', [{ host: 'test.xn--bcher-kva', metadata: { k: 'v' } }]],
    ['\n#x\n', []],
  ])('reads %j', (text, expected) => {
    expect(readHostLines(text).hosts).toEqual(expected);
  });

  it.each(['not a host', 'a/b', 'a.test:80', `${'x'.repeat(300)}`, 'http://'])('%j is rejected and counted', (line) => {
    expect(readHostLines(line)).toEqual({ hosts: [], refused: 1, leftOut: 0 });
  });
});
