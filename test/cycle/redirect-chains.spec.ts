import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type Handler, type Site, page, redirect, startSite } from '../support/site.js';
import { expectConsistent, pages } from './table.js';

/** Chains of redirects over ten thousand hosts: the number of requests is bounded by properties, not by the chain. */

const HOSTS = 10_000;
const ok = page('User-agent: *\nAllow: /\n', { 'content-type': 'text/plain' });
const hostOf = (n: number): string => `127.1.${n >> 8}.${n & 255}`;
const numberOf = (host: string): number => {
  const [, , high = 0, low = 0] = host.split('.').map((part) => Number.parseInt(part, 10));
  return high * 256 + low;
};

let cycle: Cycle;
let site: Site;
let port = '';
let chained: RegExp;
let number = 0;
let crawlId = '';
beforeAll(async () => {
  cycle = await openCycle();
  // All of 127.0.0.0/8 is this machine.
  site = await startSite(
    (req, res) => {
      const n = numberOf(req.headers.host ?? '');
      const path = req.url ?? '/';
      const next: Handler = n < HOSTS ? redirect(`http://${hostOf(n + 1)}:${port}${path}`, 301) : page('the end');
      return (chained.test(path) ? next : path === '/robots.txt' ? ok : page('here'))(req, res);
    },
    { host: '0.0.0.0' },
  );
  port = new URL(site.url).port;
});
beforeEach(() => {
  crawlId = `chain${++number}`;
  site.log.length = 0;
});
afterAll(async () => {
  await cycle?.close();
  await site?.close();
});

const hostsAsked = (path: string): string[] => [
  ...new Set(site.log.filter((one) => one.path === path).map(({ headers }) => headers.host?.split(':')[0] ?? '')),
];
/** Hosts of the chain from the given one. */
const hops = (n: number, from = 1): string[] => Array.from({ length: n }, (_, i) => hostOf(from + i));
const seed = (from = 1) => cycle.inject([`http://${hostOf(from)}:${port}/`], {}, { crawlId });

describe('a chain of redirected pages over ten thousand hosts', () => {
  beforeEach(() => (chained = /^\/$/));

  it('costs one page of one host a round', async () => {
    await seed();
    for (let rounds = 1; rounds <= 3; rounds++) {
      expect(await cycle.round({ crawlId })).toBe(1);
      expect(hostsAsked('/')).toEqual(hops(rounds));
    }
    expect(await pages(cycle, crawlId)).toHaveLength(4);
    await expectConsistent(cycle);
  });

  it.each([1, 20])('costs %i further hops in a FETCH with that http.redirect.max', async (max) => {
    await seed();
    for (let rounds = 1; rounds <= 2; rounds++) {
      await cycle.round({ crawlId, conf: { 'http.redirect.max': String(max) } });
      expect(hostsAsked('/')).toEqual(hops(rounds * (max + 1)));
    }
    await expectConsistent(cycle);
  });

  it('ends after http.redirect.max hops with http.redirect.max.exceeded.skip', async () => {
    await seed();
    const conf = { 'http.redirect.max': '5', 'http.redirect.max.exceeded.skip': 'true' };
    await cycle.round({ crawlId, conf });
    expect(await cycle.round({ crawlId, conf })).toBe(0);
    expect(hostsAsked('/')).toEqual(hops(6));
  });
});

describe('a robots.txt redirected over ten thousand hosts', () => {
  beforeEach(() => (chained = /^\/robots\.txt$/));

  it.each([0, 5, 20])('costs %i hops and is then unavailable, so that the page is fetched', async (max) => {
    // Rules are cached by origin: each chain starts at hosts without cached rules.
    const from = 1_000 + 100 * max;
    await seed(from);
    await cycle.round({ crawlId, conf: { 'http.robots.redirect.max': String(max) } });
    expect(hostsAsked('/robots.txt')).toEqual(hops(max + 1, from));
    expect(hostsAsked('/')).toEqual(hops(1, from));
  });
});
