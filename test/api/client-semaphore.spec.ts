import { describe, expect, it } from 'vitest';
import type { LimitedClient } from '../../src/core/queueing/client-limits.js';
import { ClientSemaphore, type SemaphoreLimits } from '../../src/api/access/client-semaphore.js';
import { jobsTooFast } from '../../src/api/problem.js';

const one: LimitedClient = { id: '192.0.2.1', kind: 'address' };
const key = (id: string): LimitedClient => ({ id, kind: 'key' });
const admin: LimitedClient = { id: 'chief', kind: 'admin key' };

/** A semaphore whose work ends when `open` is called; `begun` lists the order in which work began. */
function underTest(limits: SemaphoreLimits) {
  const semaphore = new ClientSemaphore(limits, jobsTooFast);
  const { promise: gate, resolve: open } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const work = (name: string, client: LimitedClient = one) =>
    semaphore.run(client, () => {
      begun.push(name);
      return gate;
    });
  return { semaphore, open, begun, work };
}

describe('ClientSemaphore', () => {
  it('runs atOnce requests at a time, queues the rest in order and refuses more than max', async () => {
    const { semaphore, open, begun, work } = underTest({ atOnce: 1, max: 3, maxPerKey: 3, reserved: 0 });
    const all = [work('a'), work('b'), work('c')];
    await expect(work('d')).rejects.toMatchObject({
      code: 'JOBS_TOO_FAST',
      options: { headers: { 'Retry-After': '2' } },
    });
    expect(begun).toEqual(['a']);
    open();
    await Promise.all(all);
    await expect(semaphore.run(one, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await work('e');
    expect(begun).toEqual(['a', 'b', 'c', 'e']);
  });

  it('limits one key and all keys together, reserves the rest for admin keys and runs their work first', async () => {
    const { open, begun, work } = underTest({ atOnce: 1, max: 5, maxPerKey: 2, reserved: 2 });
    const all = [work('a1', key('a')), work('a2', key('a'))];
    await expect(work('a3', key('a'))).rejects.toMatchObject({
      message: expect.stringContaining('2 jobs of this key'),
    });
    all.push(work('b1', key('b')));
    await expect(work('b2', key('b'))).rejects.toMatchObject({ message: expect.stringContaining('3 jobs are') });
    all.push(work('x1', admin), work('x2', admin));
    await expect(work('x3', admin)).rejects.toMatchObject({ code: 'JOBS_TOO_FAST' });
    open();
    await Promise.all(all);
    expect(begun).toEqual(['a1', 'x1', 'x2', 'a2', 'b1']);
  });

  it('limits one address to maxPerAddress', async () => {
    const { open, work } = underTest({ atOnce: 2, max: 5, maxPerKey: 1, maxPerAddress: 2, reserved: 0 });
    const all = [work('a1'), work('a2')];
    await expect(work('a3')).rejects.toMatchObject({ message: expect.stringContaining('2 jobs of this address') });
    all.push(work('b1', { id: '192.0.2.2', kind: 'address' }));
    open();
    await Promise.all(all);
  });

  it('does not begin work of a client that has disconnected, and releases its permit', async () => {
    const { semaphore, open, begun, work } = underTest({ atOnce: 1, max: 2, maxPerKey: 1, reserved: 0 });
    const first = work('a');
    const gone = new AbortController();
    const left = semaphore.run(one, () => Promise.resolve(begun.push('left')), gone.signal);
    gone.abort(new Error('gone'));
    await expect(left).rejects.toThrow('gone');
    const next = work('b');
    open();
    await Promise.all([first, next]);
    expect(begun).toEqual(['a', 'b']);
    await expect(semaphore.run(one, () => Promise.resolve(), gone.signal)).rejects.toThrow('gone');
    expect(semaphore.size).toBe(0);
  });
});
