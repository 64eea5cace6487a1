import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { checkConf } from '../../src/api/config/check-conf.js';
import { parseConf } from '../../src/core/conf/properties.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { page, startSite } from '../support/site.js';
import { batchOf, counter, pages } from './table.js';

/**
 * `generate.max.count.expr` and `generate.fetch.delay.expr` of Nutch 1.x: GENERATE evaluates them with the columns of the host
 * table.
 */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

const urls = (host: string, n: number) => Array.from({ length: n }, (_, i) => `http://${host}/${i}`);
const generate = (crawlId: string, conf: Record<string, string>, args: Record<string, unknown> = {}) =>
  cycle.run('GENERATE', args, { crawlId, conf });
const perHost = async (crawlId: string) => {
  const counted: Record<string, number> = {};
  for (const { host, generate_mark: mark } of await pages(cycle, crawlId))
    if (mark) counted[host] = (counted[host] ?? 0) + 1;
  return counted;
};
const set = (crawlId: string, host: string, columns: string) =>
  cycle.db.query(`update host set ${columns} where host = $2 and crawl = (select id from crawl where name = $1)`, [
    crawlId,
    host,
  ]);

describe('generate.max.count.expr', () => {
  it('sets the limit of each host from its columns and statistics', async () => {
    await cycle.inject([...urls('a.test', 10), ...urls('b.test', 10), ...urls('c.test', 3)], {}, { crawlId: 'count' });
    await set('count', 'test.a', 'dns_failures = 2');
    await set('count', 'test.b', `hostdb = '{"numbers": {"_rs_": {"avg": 900, "percentiles": {"95": 2000}}}}'`);
    const expr = 'dnsFailures > 0 ? 1 : pct95._rs_ > 1000 ? 4 : unfetched + 100';
    const job = await generate('count', { 'generate.max.count.expr': expr, 'generate.max.count': '2' });
    expect(await perHost('count')).toEqual({ 'test.a': 1, 'test.b': 4, 'test.c': 3 });
    expect(counter(job, 'Generator', 'HOST_LIMIT')).toBe(15);
  });

  it('sets no limit where its value is not above 0', async () => {
    await cycle.inject(urls('a.test', 5), {}, { crawlId: 'zero' });
    await generate('zero', { 'generate.max.count.expr': 'fetched * 10', 'generate.max.count': '2' });
    expect(await perHost('zero')).toEqual({ 'test.a': 5 });
  });

  it('with count mode domain sets one limit per domain', async () => {
    await cycle.inject([...urls('a.example.com', 5), ...urls('b.example.com', 5)], {}, { crawlId: 'domain' });
    await generate('domain', { 'generate.max.count.expr': 'unfetched - 2', 'generate.count.mode': 'domain' });
    expect(Object.values(await perHost('domain')).reduce((sum, n) => sum + n, 0)).toBe(3);
  });

  it('limits each of several segments', async () => {
    await cycle.inject(urls('a.test', 5), {}, { crawlId: 'segments' });
    const job = await generate('segments', { 'generate.max.count.expr': '2' }, { maxNumSegments: 2 });
    expect(job.result?.['generate.count']).toBe(4);
  });
});

describe('generate.fetch.delay.expr', () => {
  it('sets the delay between two requests to a host for this batch, and the next GENERATE clears it', async () => {
    const site = await startSite({ '/robots.txt': page(''), '*': page('ok') });
    await cycle.inject([`${site.url}/1`, `${site.url}/2`, `${site.url}/3`], {}, { crawlId: 'delay' });
    const job = await generate('delay', { 'generate.fetch.delay.expr': 'numRecords * 100' });
    await cycle.run('FETCH', { batch: batchOf(job) }, { crawlId: 'delay' });
    const times = site.log.filter(({ path }) => path !== '/robots.txt').map(({ time }) => time);
    await site.close();
    expect(times).toHaveLength(3);
    for (const [i, time] of times.slice(1).entries()) expect(time - times[i]!).toBeGreaterThanOrEqual(300);
    await generate('delay', {});
    const [row] = await cycle.db.query(
      `select fetch_delay_ms from host where host = '127.0.0.1' and crawl = (select id from crawl where name = 'delay')`,
    );
    expect(row).toEqual({ fetch_delay_ms: null });
  });

  const delays = async (crawlId: string) => {
    const hosts = await cycle.db.query<{ host: string; ms: number | null }>(
      `select host, fetch_delay_ms as ms from host where crawl = (select id from crawl where name = $1)`,
      [crawlId],
    );
    return Object.fromEntries(hosts.map(({ host, ms }) => [host, ms]));
  };
  const inject = (crawlId: string, host: string) => cycle.inject(urls(host, 3), {}, { crawlId });

  it.each<[string, Record<string, string>, number | null]>([
    ['the same configuration', { 'generate.fetch.delay.expr': 'numRecords * 100' }, 300],
    ['a configuration without an expression', {}, null],
  ])('stays for hosts whose pages wait in an earlier batch, after a GENERATE with %s', async (what, conf, ofB) => {
    await inject(what, 'a.test');
    await generate(what, { 'generate.fetch.delay.expr': 'numRecords * 100' });
    // Nothing is due.
    await generate(what, conf);
    expect(await delays(what)).toEqual({ 'test.a': 300 });
    await inject(what, 'b.test');
    await generate(what, conf);
    expect(await delays(what)).toEqual({ 'test.a': 300, 'test.b': ofB });
  });

  it('is cleared in the next batch of the host if the expression is no delay for it', async () => {
    await inject('none', 'a.test');
    await generate('none', { 'generate.fetch.delay.expr': 'numRecords * 100' });
    await cycle.inject(['http://a.test/other'], {}, { crawlId: 'none' });
    await generate('none', { 'generate.fetch.delay.expr': '0 - numRecords' });
    expect(await delays('none')).toEqual({ 'test.a': null });
  });
});

it.each([
  ['generate.max.count.expr', 'fetched >', 'position 10: something is missing at the end'],
  ['generate.max.count.expr', 'score', 'position 1: score is not known'],
  ['generate.fetch.delay.expr', 'fetched > 1', '; a number is required'],
])('%s=%s is rejected with the position or reason', (name, value, reason) => {
  const refused = (): void => checkConf(parseConf({ [name]: value }).conf);
  expect(refused).toThrow(`Property ${name} cannot be used: `);
  expect(refused).toThrow(reason);
});
