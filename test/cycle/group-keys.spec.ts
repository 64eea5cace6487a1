import { describe, expect, it } from 'vitest';
import { reverseHost } from '../../src/core/url/row-key.js';
import { GroupKeys } from '../../src/cycle/generate/group-keys.js';

/** Groups by address (`partition.url.mode` byIP, `generate.count.mode` ip). */

function groups(resolve: (name: string) => Promise<string[]>) {
  const keys = new GroupKeys({ partition: 'byIP', count: 'host' }, [], resolve);
  const tx = { query: () => Promise.resolve({ rows: [], rowCount: 0 }) } as never;
  const pages = (hosts: readonly string[]) => hosts.map((host) => ({ host: reverseHost(host) }));
  const resolveAll = (hosts: readonly string[], enough = () => false) => keys.resolve(tx, pages(hosts), enough);
  return { resolveAll, keyOf: (host: string) => keys.partitionKey(reverseHost(host)) };
}

describe('a group by address', () => {
  it('has the hosts of one address; a host without an address is one of its own, by its reversed name', async () => {
    const { resolveAll, keyOf } = groups(async (name) => {
      if (name.startsWith('none')) throw new Error('ENOTFOUND');
      return [name.startsWith('a') ? '192.0.2.1' : '192.0.2.2', '192.0.2.9'];
    });
    const hosts = ['a1.example', 'a2.example', 'b.example', 'none.example'];
    await resolveAll(hosts);
    expect(hosts.map(keyOf)).toEqual(['192.0.2.1', '192.0.2.1', '192.0.2.2', 'example.none']);
  });

  it('is not waited for when the job is aborted, although the name server does not answer', async () => {
    const { promise: nameServer, resolve: answer } = Promise.withResolvers<string[]>();
    const { resolveAll, keyOf } = groups(() => nameServer);
    let isAborted = false;
    const resolved = resolveAll(['a.example', 'b.example', 'c.example', 'd.example'], () => isAborted);
    isAborted = true;
    await resolved;
    expect(keyOf('a.example')).toBe('example.a');
    answer([]);
  });

  it('is found by three look-ups at a time, so that connections find a thread for theirs', async () => {
    let running = 0;
    let max = 0;
    const { resolveAll, keyOf } = groups(async (name) => {
      max = Math.max(max, ++running);
      await new Promise(setImmediate);
      running--;
      return [`address of ${name}`];
    });
    const hosts = Array.from({ length: 60 }, (_, i) => `h${i}.example`);
    await resolveAll(hosts);
    expect(hosts.map(keyOf)).toEqual(hosts.map((host) => `address of ${host}`));
    expect(max).toBe(3);
  });
});

it('the hosts of partition.hosts are one partition, however their names are written', () => {
  const keys = new GroupKeys({ partition: 'byHost', count: 'host' }, ['BÜCHER.example', 'a.Example']);
  const hosts = ['xn--bcher-kva.example', 'a.example', 'b.example'];
  expect(hosts.map((host) => keys.partitionKey(reverseHost(host)))).toEqual([
    'partition.hosts',
    'partition.hosts',
    'b.example',
  ]);
});
