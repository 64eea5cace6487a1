import { channel } from 'node:diagnostics_channel';
import dns from 'node:dns/promises';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROTOCOL_STATUS } from '../../src/core/page/protocol-status.js';
import { replaceBuiltin } from '../support/builtins.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { startSite } from '../support/site.js';

/**
 * Names that do not resolve, and hosts that refuse connections (fault F22): the job ends, pages are retried later, and there is no
 * tight loop: a name is looked up at most once in ten seconds, a host is requested for the robots.txt of five pages only.
 */

const asked: { name: string; time: number }[] = [];

/** No name server responds. */
const { lookup } = dns;
replaceBuiltin(dns, {
  async lookup(name: string, options?: { all?: boolean }) {
    if (!name.endsWith('.example.com')) return lookup(name, options ?? {});
    asked.push({ name, time: performance.now() });
    throw Object.assign(new Error(`getaddrinfo EAI_AGAIN ${name}`), { code: 'EAI_AGAIN' });
  },
});

/** The address of each connection that was refused. */
const refused: string[] = [];
const countRefusal = ({ code, address }: NodeJS.ErrnoException & { address?: string }): void => {
  if (code === 'ECONNREFUSED') refused.push(address ?? '');
};
const watch = (message: unknown): void => void (message as { socket: Socket }).socket.on('error', countRefusal);

const HOSTS = 6;
const PAGES = 20;

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
beforeEach(() => void asked.splice(0));
afterAll(() => cycle.close());

async function crawl(crawlId: string, urls: string[]) {
  await cycle.inject(urls, {}, { crawlId });
  await cycle.run('GENERATE', { batch: crawlId }, { crawlId });
  const conf = { 'fetcher.exceptions.per.queue.delay': '0.01' };
  const job = await cycle.run('FETCH', { batch: crawlId }, { crawlId, conf });
  expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  return job.result!.counters['FetcherStatus']!;
}

describe('a FETCH whose hosts are all down', () => {
  it('ends when no name resolves, with at least ten seconds between lookups of a name', async () => {
    const urls = Array.from({ length: HOSTS * PAGES }, (_, i) => `http://h${i % HOSTS}.example.com/${i}`);
    const statuses = await crawl('names', urls);
    expect(Object.keys(statuses)).not.toContain('SUCCESS');
    const times = Map.groupBy(asked, ({ name }) => name);
    expect(times.size).toBe(HOSTS);
    for (const all of times.values()) {
      all.slice(1).forEach(({ time }, i) => expect(time - all[i]!.time).toBeGreaterThan(10_000));
    }
  });

  it('ends when hosts refuse connections, after five failures each with one connection a page', async () => {
    const sites = await Promise.all(
      Array.from({ length: HOSTS }, (_, i) => startSite({}, { host: `127.0.1.${i + 1}` })),
    );
    await Promise.all(sites.map((site) => site.close()));
    channel('net.client.socket').subscribe(watch);
    const statuses = await crawl(
      'refusing',
      sites.flatMap((site) => Array.from({ length: PAGES }, (_, i) => `${site.url}/${i}`)),
    );
    channel('net.client.socket').unsubscribe(watch);
    expect(statuses).toEqual({ EXCEPTION: HOSTS * 5, above_exception_threshold: HOSTS * (PAGES - 5) });
    expect(Map.groupBy(refused, (address) => address).size).toBe(HOSTS);
    expect(refused).toHaveLength(HOSTS * 5);
    const words = await cycle.db.query(
      `select distinct protocol_args[1] as words from webpage
        where crawl = (select id from crawl where name = 'refusing') and status = 34 and protocol_code <> $1`,
      [PROTOCOL_STATUS.RETRY],
    );
    expect(words).toEqual([{ words: 'refused: the connection was refused' }]);
  });

  // Without a response of a name server not even robots.txt was requested: its pages have not failed.
  it.each([
    ['names', false],
    ['refusing', true],
  ])('leaves unfetched pages (%s), those with a retry due later; a retry is counted: %s', async (crawlId, counted) => {
    for (const type of ['PARSE', 'UPDATEDB'] as const) await cycle.run(type, { batch: crawlId }, { crawlId });
    const left = await cycle.db.query<{ status: number; retries: number; later: boolean; n: number }>(
      `select status, retries_since_fetch as retries, fetch_time > now() + interval '1 minute' as later, count(*)::int as n
         from webpage where crawl = (select id from crawl where name = $1) and generate_mark is null group by 1, 2, 3`,
      [crawlId],
    );
    expect(left.reduce((sum, { n }) => sum + n, 0)).toBe(HOSTS * PAGES);
    expect(left.every(({ status }) => status === 1)).toBe(true);
    // Pages with a failed visit are due later; skipped pages may be due now.
    expect(left.filter(({ retries, later }) => retries > 0 && !later)).toEqual([]);
    expect(left.some(({ retries }) => retries > 0)).toBe(counted);
    expect(left.some(({ later }) => later)).toBe(true);
  });
});
