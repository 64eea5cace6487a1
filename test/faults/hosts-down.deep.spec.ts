import { channel } from 'node:diagnostics_channel';
import dns from 'node:dns/promises';
import type { Socket } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { PROTOCOL_STATUS } from '../../src/core/page/protocol-status.js';
import { replaceBuiltin } from '../support/builtins.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { startSite } from '../support/site.js';

/**
 * Names that nobody resolves, and hosts that refuse (F22): the job ends, pages are tried again later, and nobody is asked in a
 * tight loop: a name at most once in ten seconds, a host for the robots.txt of five pages, then no more.
 */

const asked: { name: string; time: number }[] = [];

/** No name server answers. */
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

describe('a crawl whose hosts are all down', () => {
  it('by name: the job ends, and each name is asked for once', async () => {
    const urls = Array.from({ length: HOSTS * PAGES }, (_, i) => `http://h${i % HOSTS}.example.com/${i}`);
    const statuses = await crawl('names', urls);
    expect(Object.keys(statuses)).not.toContain('SUCCESS');
    const times = Map.groupBy(asked, ({ name }) => name);
    expect(times.size).toBe(HOSTS);
    for (const all of times.values()) {
      all.slice(1).forEach(({ time }, i) => expect(time - all[i]!.time).toBeGreaterThan(10_000));
    }
  });

  it('by refusing: the job ends after five failures of each, for which it was connected to once a page', async () => {
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

  // Of a host whose name server does not answer not even robots.txt was asked for: its pages have failed nothing.
  it.each([
    ['names', false],
    ['refusing', true],
  ])('leaves pages (%s) that are tried again later, not at once; a retry is counted: %s', async (crawlId, counted) => {
    for (const type of ['PARSE', 'UPDATEDB'] as const) await cycle.run(type, { batch: crawlId }, { crawlId });
    const left = await cycle.db.query<{ status: number; retries: number; later: boolean; n: number }>(
      `select status, retries_since_fetch as retries, fetch_time > now() + interval '1 minute' as later, count(*)::int as n
         from webpage where crawl = (select id from crawl where name = $1) and generate_mark is null group by 1, 2, 3`,
      [crawlId],
    );
    expect(left.reduce((sum, { n }) => sum + n, 0)).toBe(HOSTS * PAGES);
    expect(left.every(({ status }) => status === 1)).toBe(true);
    // Those that were tried come later; those that were passed over are still to be tried.
    expect(left.filter(({ retries, later }) => retries > 0 && !later)).toEqual([]);
    expect(left.some(({ retries }) => retries > 0)).toBe(counted);
    expect(left.some(({ later }) => later)).toBe(true);
  });
});
