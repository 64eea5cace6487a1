import type { Resolve } from '../../src/core/address/egress-guard.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { resolveHosts } from '../../src/cycle/hostdb/dns-check.js';

/** Lookups of HOSTDB, which share the threads of the process with others as `dns.lookup` does. */

const dead = Array.from({ length: 8 }, (_, i) => `test.dead${i}`);
const alive = Array.from({ length: 17 }, (_, i) => `test.alive${i}`);

/** The system resolver as libuv runs it: eight lookups at once, the others wait. The name servers of `dead` are slow. */
function systemLike(deadMs: number): { resolve: Resolve; most(): number; ended(): number } {
  const waiting: (() => void)[] = [];
  let running = 0;
  let most = 0;
  let ended = 0;
  const resolve: Resolve = async (name) => {
    if (running === 8) await new Promise<void>((resume) => waiting.push(resume));
    most = Math.max(most, ++running);
    await sleep(name.startsWith('dead') ? deadMs : 1);
    running--;
    ended++;
    waiting.shift()?.();
    if (name.startsWith('dead')) throw new Error('EAI_AGAIN');
    return ['192.0.2.1'];
  };
  return { resolve, most: () => most, ended: () => ended };
}

const asked = (signal = new AbortController().signal) => ({ threads: 25, signal });

describe('name lookups of HOSTDB', () => {
  it('have their whole timeout, however many lookups are queued before them', async () => {
    const { resolve } = systemLike(300);
    const found = await resolveHosts([...dead, ...alive], { ...asked(), resolve, maxMs: 200 });
    expect(alive.filter((host) => found.get(host) !== true)).toEqual([]);
  });

  it('that time out are not failures, and names that do not resolve are', async () => {
    const { resolve } = systemLike(300);
    expect(await resolveHosts(dead, { ...asked(), resolve, maxMs: 200 })).toEqual(new Map());
    const answered = await resolveHosts(dead, { ...asked(), resolve, maxMs: 2_000 });
    expect([...answered.values()]).toEqual(dead.map(() => false));
  });

  it('use at most half of the threads, also after timeouts and over several jobs', async () => {
    const { resolve, most } = systemLike(300);
    const ask = () => resolveHosts([...dead, ...alive], { ...asked(), resolve, maxMs: 50 });
    await Promise.all([ask(), ask()]);
    expect(most()).toBe(4);
  });

  it('are abandoned at once when the job is stopped', async () => {
    const { resolve, ended } = systemLike(3_000);
    await resolveHosts([...dead, ...alive], { ...asked(AbortSignal.timeout(100)), resolve });
    expect(ended()).toBe(0);
  });
});
