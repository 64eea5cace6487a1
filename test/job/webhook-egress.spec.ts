import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { WebhooksUnderTest } from './webhooks-under-test.js';

let hooks: WebhooksUnderTest;
beforeAll(async () => (hooks = await WebhooksUnderTest.open()));
afterAll(() => hooks?.close());
beforeEach(() => hooks.reset());
afterEach(() => hooks.closeSenders());

describe('the egress guard of webhooks', () => {
  it.each([
    ['a loopback address', () => hooks.url, undefined],
    ['a name with a loopback address', () => hooks.url.replace('127.0.0.1', 'hooks.test'), ['127.0.0.1']],
    [
      'a name with one loopback address among others',
      () => hooks.url.replace('127.0.0.1', 'hooks.test'),
      ['192.0.2.1', '127.0.0.1'],
    ],
    ['an IPv4-mapped address', () => hooks.url.replace('127.0.0.1', '[::ffff:7f00:1]'), undefined],
    ['a NAT64 address', () => hooks.url.replace('127.0.0.1', '[64:ff9b::7f00:1]'), undefined],
    ['a decimal address', () => hooks.url.replace('127.0.0.1', '2130706433'), undefined],
  ])('refuses %s without opening a connection', async (_, at, addresses) => {
    let connections = 0;
    const count = () => void connections++;
    hooks.receiver.on('connection', count);
    const { id } = await hooks.hook({ url: at() });
    await hooks.warn((await hooks.jobs.create()).id, 1);
    const resolve = () => Promise.resolve(addresses ?? []);
    await hooks.attempted(id, hooks.sender({ exclude: ['loopback'], resolve }));
    hooks.receiver.off('connection', count);
    expect((await hooks.deliveries(id))[0]!.msg).toMatch(/^refused by the egress rule "loopback"$/);
    expect(connections).toBe(0);
  });

  it('resolves a name once per attempt', async () => {
    const { id } = await hooks.hook({ url: hooks.url.replace('127.0.0.1', 'hooks.test') });
    await hooks.warn((await hooks.jobs.create()).id, 1);
    let asked = 0;
    const resolve = () => Promise.resolve(asked++ === 0 ? ['127.0.0.1'] : ['10.0.0.1']);
    await hooks.sendUntil(hooks.sender({ resolve }), hooks.allIn(id, 'DELIVERED'));
    expect([asked, hooks.received.length]).toEqual([1, 1]);
    expect(hooks.received[0]?.headers.host).toMatch(/^hooks\.test:/);
  });

  it('an endless response is not read to its end', async () => {
    let sent = 0;
    const flood = createTcpServer((socket) => {
      socket.on('error', () => undefined);
      socket.write('HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n');
      const pour = (): void => {
        while (!socket.destroyed && socket.write(`10000\r\n${'x'.repeat(65_536)}\r\n`)) sent++;
      };
      socket.on('drain', pour);
      pour();
    });
    await new Promise<void>((listening) => flood.listen(0, '127.0.0.1', listening));
    const { id } = await hooks.hook({ url: `http://127.0.0.1:${(flood.address() as AddressInfo).port}/` });
    await hooks.warn((await hooks.jobs.create()).id, 1);
    await hooks.sendUntil(hooks.sender(), hooks.allIn(id, 'DELIVERED'));
    expect(sent).toBeLessThan(500);
    flood.close();
  });
});
