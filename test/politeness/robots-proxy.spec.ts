import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { fetchLimitsOf } from '../../src/plugin/http-protocol.js';
import { RobotsCache } from '../../src/politeness/robots-cache.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';
import { HttpClient } from '../../src/net/http-client.js';
import { Proxy } from '../../src/core/http/proxy.js';
import { type ProxyRules, type SmallProxy, startProxy } from '../net/small-proxy.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';

/** A robots.txt that is unreachable because of our proxy or machine: nothing is known of the host, which is deferred. */

let cycle: Cycle;
const proxies: SmallProxy[] = [];
const clients: HttpClient[] = [];

beforeAll(async () => {
  cycle = await openCycle();
});
beforeEach(() => cycle.pool.query('delete from robots'));
afterEach(async () => {
  for (const client of clients.splice(0)) client.close();
  for (const proxy of proxies.splice(0)) await proxy.close();
});
afterAll(() => cycle.close());

/** The result of a task for the robots.txt of an origin, and the row that it stores. */
async function asked(origin: string, { proxy, fails = {} }: { proxy?: Proxy; fails?: Record<string, string> }) {
  const { conf } = parseConf(loopback);
  const guard = makeEgressGuard({ exclude: [], include: [] });
  const client = new HttpClient({
    guard,
    verifyTls: true,
    resolve: (name) => {
      const code = fails[name];
      return code === undefined ? Promise.resolve(['127.0.0.1']) : Promise.reject(Object.assign(new Error(), { code }));
    },
    ...(proxy && { proxy }),
  });
  clients.push(client);
  const { signal } = new AbortController();
  const cache = new RobotsCache({ db: cycle.pool, client, conf, headers: {}, limits: fetchLimitsOf(conf), signal });
  const loaded = await cache.get(origin);
  cache.close();
  const { rows } = await cycle.pool.query(
    'select failures, failing_since is not null as "isNetwork", error from robots',
  );
  return { kind: loaded.meaning.kind, unreachable: loaded.unreachable, row: rows[0] };
}

async function behind(rules: ProxyRules, given: { host?: string } = {}): Promise<{ proxy: Proxy; small: SmallProxy }> {
  const small = await startProxy(rules);
  proxies.push(small);
  const type = rules.kind ?? 'http';
  const login = { username: 'me', password: 'wrong', realm: '' };
  const guard = makeEgressGuard({ exclude: [], include: [] });
  const address = { host: '127.0.0.1', port: small.port, ...given };
  return { small, proxy: new Proxy({ type, ...address, ...login, exceptions: [], guard }) };
}

const error = (message: string) => expect.stringContaining(message);

describe('our own proxy', () => {
  it.each<[what: string, origin: string, rules: ProxyRules, message: string]>([
    ['that answers 407', 'http://a.test', { login: 'me:pw' }, 'rejects the configured credentials'],
    ['that answers 407 to CONNECT', 'https://a.test', { login: 'me:pw' }, 'rejects the configured credentials'],
    [
      'that does not take the login (SOCKS)',
      'http://a.test',
      { kind: 'socks', login: 'me:pw' },
      'the configured credentials',
    ],
    ['that is not a proxy', 'https://a.test', { says: 'SSH-2.0-OpenSSH\r\n\r\n' }, 'does not speak HTTP'],
  ])('%s defers the host without counting a failure', async (_what, origin, rules, message) => {
    const { kind, unreachable, row } = await asked(origin, await behind(rules));
    expect([kind, unreachable, row]).toEqual([
      'wait',
      undefined,
      { failures: 0, isNetwork: false, error: error(message) },
    ]);
  });

  it('that is down defers the host without counting a failure', async () => {
    const { proxy, small } = await behind({});
    await small.close();
    proxies.splice(0);
    const { kind, row } = await asked('http://a.test', { proxy });
    expect([kind, row]).toEqual(['wait', { failures: 0, isNetwork: false, error: error('cannot be reached') }]);
  });

  it('whose own name does not resolve defers the host without counting a failure', async () => {
    const { proxy } = await behind({}, { host: 'proxy.test' });
    const { kind, row } = await asked('http://a.test', { proxy, fails: { 'proxy.test': 'ENOTFOUND' } });
    expect([kind, row]).toEqual(['wait', { failures: 0, isNetwork: false, error: error('cannot be reached') }]);
  });

  it.each<[what: string, origin: string, rules: ProxyRules, message: string]>([
    ['CONNECT', 'https://a.test', { says: 'HTTP/1.1 502 Bad Gateway\r\n\r\n' }, 'HTTP 502'],
    ['SOCKS', 'http://a.test:1025', { kind: 'socks', login: 'me:wrong' }, 'was refused by the host'],
  ])(
    'that cannot reach the host (%s) defers it and counts a failure of the network',
    async (_how, origin, rules, message) => {
      const { kind, unreachable, row } = await asked(origin, await behind(rules));
      expect([kind, unreachable, row]).toEqual([
        'wait',
        undefined,
        { failures: 1, isNetwork: true, error: error(message) },
      ]);
    },
  );
});

it('a machine without a file descriptor for the connection defers the host, and counts no failure', async () => {
  const { kind, unreachable, row } = await asked('http://a.test', { fails: { 'a.test': 'EMFILE' } });
  expect([kind, unreachable, row]).toEqual([
    'wait',
    undefined,
    { failures: 0, isNetwork: false, error: error('this machine has no socket') },
  ]);
});

it('a machine without a free port for the connection defers the host', async () => {
  const { kind, unreachable, row } = await asked('http://a.test', { fails: { 'a.test': 'EADDRNOTAVAIL' } });
  expect([kind, unreachable, row]).toEqual([
    'wait',
    undefined,
    { failures: 1, isNetwork: true, error: error('no route to') },
  ]);
});
