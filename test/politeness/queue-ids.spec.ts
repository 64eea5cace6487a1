import { setImmediate as nextIteration } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { QueueIds } from '../../src/politeness/queue-ids.js';

const HOUR = 3_600_000;

/** Fetch queues by address in a task that runs for days, with its clock and its DNS. */
function longTask({ max }: { max?: number } = {}) {
  let ms = 0;
  const addresses = new Map<string, string>();
  const asked: string[] = [];
  const used = new Set<string>();
  const ids = new QueueIds('byIP', {
    resolve: async (host) => (asked.push(host), addresses.get(host) ?? null),
    now: () => ms,
    ...(max !== undefined && { max }),
  });
  ids.keepWhile((queueId) => used.has(queueId));
  const of = (...hosts: string[]) => ids.idsOf(hosts.map((host) => `http://${host}/`));
  const become = (host: string, address: string) => void addresses.set(host, address);
  return { ids, of, become, asked, used, pass: (passed: number) => void (ms += passed) };
}

describe('the queue of a host by its address', () => {
  it('is that of a name with the same address, if the host is an address', async () => {
    const ids = await new QueueIds('byIP').idsOf(['http://192.0.2.1:81/', 'http://[2001:db8::1]/']);
    expect(ids).toEqual(['192.0.2.1', '2001:db8::1']);
  });

  it('follows the address of the host after an hour', async () => {
    const { of, become, asked, pass } = longTask();
    become('a.example', '192.0.2.1');
    expect(await of('a.example', 'a.example')).toEqual(['192.0.2.1', '192.0.2.1']);
    become('a.example', '192.0.2.2');
    pass(HOUR - 1);
    expect(await of('a.example')).toEqual(['192.0.2.1']);
    pass(1);
    expect(await of('a.example')).toEqual(['192.0.2.2']);
    expect(asked).toEqual(['a.example', 'a.example']);
  });

  it('stays the same while the task uses the queue', async () => {
    const { of, become, used, pass } = longTask();
    become('a.example', '192.0.2.1');
    await of('a.example');
    used.add('192.0.2.1');
    become('a.example', '192.0.2.2');
    pass(5 * HOUR);
    expect(await of('a.example')).toEqual(['192.0.2.1']);
    used.delete('192.0.2.1');
    expect(await of('a.example')).toEqual(['192.0.2.2']);
  });

  it('is forgotten after an hour, or with many hosts when it was needed longest ago, but never in use', async () => {
    const { ids, of, become, used, pass } = longTask({ max: 3 });
    for (const n of [1, 2, 3, 4, 5]) become(`h${n}.example`, `192.0.2.${n}`);
    await of('h1.example', 'h2.example', 'h3.example');
    used.add('192.0.2.1');
    await of('h2.example', 'h4.example', 'h5.example');
    expect(ids.known).toEqual(['h1.example', 'h4.example', 'h5.example']);
    pass(HOUR);
    await of('h2.example');
    expect(ids.known).toEqual(['h1.example', 'h2.example']);
  });

  it('is that of its name while it has no address, and is resolved again after 10 s', async () => {
    const { of, become, asked, pass } = longTask();
    expect(await of('a.example')).toEqual(['a.example']);
    become('a.example', '192.0.2.1');
    pass(9_999);
    expect(await of('a.example')).toEqual(['a.example']);
    expect(asked).toEqual(['a.example']);
    pass(1);
    expect(await of('a.example')).toEqual(['192.0.2.1']);
  });

  it('stays that of its name while the task uses it: the host would get two requests at a time', async () => {
    const { of, become, used, pass } = longTask();
    await of('a.example');
    used.add('a.example');
    become('a.example', '192.0.2.1');
    pass(HOUR);
    expect(await of('a.example')).toEqual(['a.example']);
    used.delete('a.example');
    expect(await of('a.example')).toEqual(['192.0.2.1']);
  });

  it('is looked up for three hosts at a time, so that connections find a thread, and for the others afterwards', async () => {
    const { promise: nameServer, resolve: answer } = Promise.withResolvers<void>();
    let running = 0;
    let max = 0;
    const ids = new QueueIds('byIP', {
      resolve: async (host) => {
        max = Math.max(max, ++running);
        await nameServer;
        running--;
        return `address of ${host}`;
      },
    });
    const hosts = Array.from({ length: 8 }, (_, i) => `slow${i}.example`);
    const queueIds = ids.idsOf(hosts.map((host) => `http://${host}/`));
    await nextIteration();
    expect(running).toBe(3);
    answer();
    expect(await queueIds).toEqual(hosts.map((host) => `address of ${host}`));
    expect(max).toBe(3);
  });
});
