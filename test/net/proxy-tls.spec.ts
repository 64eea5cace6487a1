/** Certificates behind a proxy are compared with the host of the URL, as without one. */
import { once } from 'node:events';
import { type Server, createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import tls, { type ConnectionOptions } from 'node:tls';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { Proxy } from '../../src/core/http/proxy.js';
import { replaceBuiltin } from '../support/builtins.js';
import { selfSigned } from './self-signed.js';
import { type SmallProxy, startProxy } from './small-proxy.js';

const NAMES = ['127.0.0.1', 'localhost', 'good.test'];
const pairs = NAMES.map((name) => selfSigned(name, new Date('2020-01-01'), new Date('2040-01-01')));
// The certificates of this file are trusted like those of the machine.
const { connect } = tls;
const ca = pairs.map(({ cert }) => cert);
replaceBuiltin(tls, { connect: (options: ConnectionOptions) => connect({ ...options, ca }) });

const guard = makeEgressGuard({ exclude: [], include: [] });
const servers = new Map<string, Server>();
let proxies: SmallProxy[] = [];
const clients: Record<string, HttpClient> = {};

beforeAll(async () => {
  for (const [i, name] of NAMES.entries()) {
    const server = createServer(pairs[i]!, (_req, res) => void res.end(name)).listen(0, '127.0.0.1');
    await once(server, 'listening');
    servers.set(name, server);
  }
  proxies = [await startProxy({ kind: 'http' }), await startProxy({ kind: 'socks' })];
  const common = { guard, resolve: () => Promise.resolve(['127.0.0.1']), verifyTls: true };
  clients['none'] = new HttpClient(common);
  for (const [i, type] of (['http', 'socks'] as const).entries()) {
    const where = { type, host: '127.0.0.1', port: proxies[i]!.port, username: '', password: '', realm: '', guard };
    clients[type] = new HttpClient({ ...common, proxy: new Proxy({ ...where, exceptions: [] }) });
  }
});
afterAll(async () => {
  for (const client of Object.values(clients)) client.close();
  for (const proxy of proxies) await proxy.close();
  for (const server of servers.values()) {
    server.closeAllConnections();
    server.close();
  }
});

describe.each(['none', 'http', 'socks'])('the certificate of a host with proxy %s', (proxy) => {
  it.each([
    ['127.0.0.1', '127.0.0.1', 200],
    ['127.0.0.1', 'localhost', 'tls'],
    ['127.0.0.1', 'good.test', 'tls'],
    ['good.test', 'good.test', 200],
    ['good.test', '127.0.0.1', 'tls'],
    ['good.test', 'localhost', 'tls'],
    ['localhost', 'localhost', 200],
  ])('requested for %s, issued for %s: %s', async (host, certified, expected) => {
    const { port } = servers.get(certified)!.address() as AddressInfo;
    const answer = await clients[proxy]!.fetch({ url: `https://${host}:${port}/`, headers: {} });
    expect(answer.ok ? answer.status : answer.code).toBe(expected);
  });
});
