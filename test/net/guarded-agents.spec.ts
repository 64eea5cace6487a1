/** C1, C2 and C10 of the threat list, for clients that use Node's own http. */
import { createServer as createHttp, type Server } from 'node:http';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import axios from 'axios';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EgressRefused } from '../../src/net/connector.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { guardedAgents } from '../../src/net/guarded-agents.js';
import { selfSigned } from './self-signed.js';

let plain: Server;
let secure: Server;
const bodies: string[] = [];
let connections = 0;
beforeAll(async () => {
  const pair = selfSigned('good.test', new Date('2020-01-01'), new Date('2021-01-01'));
  const answer: Parameters<typeof createHttp>[1] = (request, response) => {
    let text = '';
    request
      .on('data', (part) => (text += part))
      .on('end', () => {
        bodies.push(text);
        response.end(`got ${request.headers.host}`);
      });
  };
  [plain, secure] = [createHttp(answer), createHttps(pair, answer)];
  for (const server of [plain, secure]) {
    server.on('connection', () => connections++);
    await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  }
});
afterAll(() => [plain, secure].forEach((server) => server?.close()));

const portOf = (server: Server) => (server.address() as AddressInfo).port;
const post = (url: string, more: { exclude?: string[]; verifyTls?: boolean; addresses?: string[] } = {}) => {
  const guard = makeEgressGuard({ exclude: more.exclude ?? [], include: [] });
  const resolve = () => Promise.resolve(more.addresses ?? ['127.0.0.1']);
  const agents = guardedAgents({ guard, resolve, verifyTls: more.verifyTls ?? true }, 1_000);
  return axios.post<string>(url, 'x'.repeat(300_000), { ...agents, proxy: false, maxRedirects: 0 });
};

describe('a guarded agent', () => {
  it('sends through the guarded connector with the original host name', async () => {
    const { data } = await post(`http://plain.test:${portOf(plain)}/`);
    expect(data).toBe(`got plain.test:${portOf(plain)}`);
    expect(bodies.at(-1)).toHaveLength(300_000);
  });

  it('sends over TLS', async () => {
    const { data } = await post(`https://good.test:${portOf(secure)}/`, { verifyTls: false });
    expect(data).toBe(`got good.test:${portOf(secure)}`);
  });

  it('refuses an invalid certificate', async () => {
    const failed = post(`https://good.test:${portOf(secure)}/`);
    await expect(failed).rejects.toMatchObject({ code: expect.stringMatching(/CERT/) });
  });

  it.each([
    ['127.0.0.1', undefined],
    ['[::ffff:7f00:1]', undefined],
    ['inner.test', ['127.0.0.1']],
    ['inner.test', ['8.8.8.8', '::1']],
  ])('opens no socket to %s %j when the guard refuses it', async (host, addresses) => {
    const before = connections;
    for (const [scheme, server] of [
      ['http', plain],
      ['https', secure],
    ] as const) {
      const refused = post(`${scheme}://${host}:${portOf(server)}/`, { exclude: ['loopback'], addresses });
      await expect(refused).rejects.toMatchObject({ cause: expect.any(EgressRefused) });
    }
    expect(connections).toBe(before);
  });

  it('opens no socket for a request that begins after it was closed', async () => {
    const before = connections;
    const guard = makeEgressGuard({ exclude: [], include: [] });
    const agents = guardedAgents({ guard, resolve: () => Promise.resolve(['127.0.0.1']), verifyTls: true }, 1_000);
    agents.close();
    const late = axios.post(`http://plain.test:${portOf(plain)}/`, 'x', { ...agents, proxy: false });
    await expect(late).rejects.toThrow();
    // A connection before this one would be counted by now.
    await post(`http://plain.test:${portOf(plain)}/`);
    expect(connections).toBe(before + 1);
  });
});
