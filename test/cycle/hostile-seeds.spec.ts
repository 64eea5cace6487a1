import { describe, expect, it } from 'vitest';
import { payloads } from '../api/bad-bodies.js';
import { openCycle } from '../support/cycle.js';
import { longHost } from '../support/incompressible.js';

describe('INJECT of a seed list with hostile lines', () => {
  it('stores the valid seeds and counts each hostile line as rejected', async () => {
    const cycle = await openCycle();
    const bad = [
      ...payloads.filter((payload) => !/[\0\r\n]/.test(payload)).map((payload) => payload.toWellFormed()),
      'ftp://a.test/',
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'http://',
      'http://[::1',
      '//a.test/',
      'http://a.test:99999/',
      `http://a.test/${'x'.repeat(16_000)}`,
      'http://a b.test/',
      `http://${longHost(28)}/`,
    ];
    const good = ['http://a.test/', 'http://b.test/?q=1', 'http://a.test/%27;drop%20table%20webpage', 'http://ü.test/'];
    const lines = bad.flatMap((line, at) => [line, ...good.slice(at, at + 1)]);
    const job = await cycle.inject(lines, { noFilter: true });
    const counted = job.result!.counters;
    const stored = await cycle.db.query<{ key: string }>('select key from webpage order by key');
    await cycle.close();
    expect(job.state).toBe('FINISHED');
    expect(counted['injector']).toEqual({ urls_injected: good.length, urls_filtered: bad.length });
    expect(Object.values(counted['injector_rejected'] ?? {}).reduce((sum, n) => sum + n, 0)).toBe(bad.length);
    expect(stored).toHaveLength(good.length);
  });
});
