/**
 * C1 and C2 of the threat list: however an inner address is written, and whatever a name server returns the second time, the
 * canary on loopback must receive no connection.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEgressGuard, type EgressRules, type Resolve } from '../../src/core/address/egress-guard.js';
import { SHIPPED_EXCLUSIONS } from '../../src/core/address/address-classes.js';
import { DEFAULT_FETCH_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { cachingResolver } from '../../src/net/resolver.js';
import { fetchRobots } from '../../src/net/robots-fetch.js';
import { page, redirect, startSite, type Site } from '../support/site.js';
import { innerHosts, innerNames } from './inner-addresses.js';

const resolve: Resolve = (name) => {
  const found = innerNames[name];
  return found ? Promise.resolve(found) : Promise.reject(Object.assign(new Error(name), { code: 'ENOTFOUND' }));
};
const clientOf = (rules: EgressRules, names: Resolve = resolve) =>
  new HttpClient({ guard: makeEgressGuard(rules), resolve: names, verifyTls: true });

let canary: Site;
let client: HttpClient;
beforeAll(async () => {
  canary = await startSite(page('inner secret'));
  client = clientOf({ exclude: SHIPPED_EXCLUSIONS, include: [] });
});
afterAll(async () => {
  client.close();
  await canary.close();
});

describe('with the shipped exclusions', () => {
  it.each(innerHosts)('http://%s/ is refused', async (host) => {
    for (const scheme of ['http', 'https']) {
      const answer = await client.fetch({ url: `${scheme}://${host}:${canary.port}/`, headers: {} });
      expect(answer).toMatchObject({ ok: false, code: 'blocked' });
    }
    expect(canary.connections()).toBe(0);
  });

  it('a name without an address fails as a DNS error, not as blocked', async () => {
    expect(await client.fetch({ url: 'http://nowhere.test/', headers: {} })).toMatchObject({ ok: false, code: 'dns' });
  });

  it('the refusal names the rule and not the address', async () => {
    const answer = await client.fetch({ url: 'http://127.0.0.1.nip.test:9999/', headers: {} });
    expect(answer).toMatchObject({ message: 'refused by the egress rule "loopback"' });
    expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
  });

  it.each([0, 22, 25, 5432, 6379, 11211])('port %s is refused on any host', async (port) => {
    expect(await client.fetch({ url: `http://93.184.216.34:${port}/`, headers: {} })).toMatchObject({
      code: 'blocked',
    });
  });
});

describe('a name server that changes its answer (DNS rebinding)', () => {
  /** Outer addresses are loopback ones of another host here, so that the test needs no network. */
  const rules: EgressRules = { exclude: ['127.0.0.1'], include: [] };
  const changing = (...answers: string[][]): Resolve => {
    let asked = 0;
    return () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)] ?? []);
  };

  it('is queried once: the connection goes to the address that was checked', async () => {
    const outer = await startSite(page('outer'), { host: '127.0.0.9', port: canary.port });
    const own = clientOf(rules, changing(['127.0.0.9'], ['127.0.0.1']));
    const answer = await own.fetch({ url: `http://rebind.test:${canary.port}/`, headers: {} });
    expect(answer).toMatchObject({ ok: true, address: '127.0.0.9' });
    expect([outer.connections(), canary.connections()]).toEqual([1, 0]);
    own.close();
    await outer.close();
  });

  it('is checked again for the next connection', async () => {
    const outer = await startSite(page('outer', { connection: 'close' }), { host: '127.0.0.9', port: canary.port });
    const own = clientOf(rules, changing(['127.0.0.9'], ['127.0.0.1']));
    const url = `http://rebind.test:${canary.port}/`;
    expect(await own.fetch({ url, headers: {} })).toMatchObject({ ok: true });
    expect(await own.fetch({ url, headers: {} })).toMatchObject({ ok: false, code: 'blocked' });
    expect(canary.connections()).toBe(0);
    own.close();
    await outer.close();
  });

  it('is checked again when a kept connection breaks and the request is repeated', async () => {
    let served = 0;
    const outer = await startSite(
      (req, res) => {
        served += 1;
        if (served > 1) req.socket.resetAndDestroy();
        else res.end('outer');
      },
      { host: '127.0.0.9', port: canary.port },
    );
    const own = clientOf(rules, changing(['127.0.0.9'], ['127.0.0.1']));
    const url = `http://rebind.test:${canary.port}/`;
    await own.fetch({ url, headers: {} });
    expect(await own.fetch({ url, headers: {} })).toMatchObject({ ok: false, code: 'blocked' });
    expect(canary.connections()).toBe(0);
    own.close();
    await outer.close();
  });

  it('may return several addresses: the next one is tried when one refuses the connection', async () => {
    const outer = await startSite(page('outer'), { host: '127.0.0.9' });
    const own = clientOf(rules, changing(['127.0.0.8', '127.0.0.9']));
    const answer = await own.fetch({ url: `http://two.test:${outer.port}/`, headers: {} });
    expect(answer).toMatchObject({ ok: true, address: '127.0.0.9' });
    own.close();
    await outer.close();
  });
});

describe('a name with many addresses', () => {
  it.each([
    ['IPv6', ['::1', '::1', '::1', '::1', '::1', '127.0.0.9', '127.0.0.8'], '127.0.0.9'],
    ['IPv4', ['127.0.0.8', '127.0.0.7', '127.0.0.6', '127.0.0.5', '127.0.0.4', '::1'], '::1'],
  ])('of which those of %s come first and do not answer is reached (RFC 8305)', async (_family, addresses, host) => {
    const outer = await startSite(page('outer'), { host });
    const own = clientOf({ exclude: [], include: [] }, () => Promise.resolve(addresses));
    const answer = await own.fetch({ url: `http://many.test:${outer.port}/`, headers: {} });
    expect(answer).toMatchObject({ ok: true, address: host });
    own.close();
    await outer.close();
  });
});

describe('a robots.txt', () => {
  const request = { headers: {}, limits: DEFAULT_FETCH_LIMITS, maxRedirects: 5 };

  it.each([301, 302, 303, 307, 308])('that redirects to an inner address by a %s is refused', async (code) => {
    const outer = await startSite(redirect(`${canary.url}/robots.txt`, code), { host: '127.0.0.9' });
    const own = clientOf({ exclude: ['127.0.0.1'], include: [] });
    expect(await fetchRobots(own, { ...request, origin: outer.url })).toMatchObject({ error: 'blocked' });
    expect(canary.connections()).toBe(0);
    own.close();
    await outer.close();
  });
});

describe('ports of this server', () => {
  it('are refused under any name, even when every address is allowed', async () => {
    const own = clientOf({ exclude: [], include: [], ownPorts: [canary.port] });
    for (const host of ['127.0.0.1', '[::1]', '0.0.0.0', 'localhost', '[::ffff:127.0.0.1]']) {
      const answer = await own.fetch({ url: `http://${host}:${canary.port}/`, headers: {} });
      expect(answer).toMatchObject({ ok: false, code: 'blocked', message: 'refused by the egress rule "own-port"' });
    }
    expect(canary.connections()).toBe(0);
    own.close();
  });
});

describe('the resolver cache', () => {
  const counting = () => {
    const asked: string[] = [];
    const ask: Resolve = (name) => {
      asked.push(name);
      return name === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(['192.0.2.1']);
    };
    return { asked, ask };
  };

  it('queries a name once within its TTL, and again after it', async () => {
    let now = 0;
    const { asked, ask } = counting();
    const caching = cachingResolver(ask, { ttlMs: 60_000, now: () => now });
    await Promise.all([caching('a'), caching('a')]);
    now = 59_999;
    await caching('a');
    expect(asked).toEqual(['a']);
    now = 60_000;
    await caching('a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('drops failures after failureMs, and the oldest name when it is full', async () => {
    const { asked, ask } = counting();
    let now = 0;
    const caching = cachingResolver(ask, { size: 2, failureMs: 10_000, now: () => now });
    for (const time of [0, 0, 9_999, 10_000]) {
      now = time;
      await expect(caching('bad')).rejects.toThrow('no');
    }
    for (const name of ['a', 'b', 'c', 'b', 'a']) await caching(name);
    expect(asked).toEqual(['bad', 'bad', 'a', 'b', 'c', 'a']);
  });
});

describe('the database of this server on any host, with every address range allowed', () => {
  const OPENED: EgressRules = { exclude: [], include: [], deniedPorts: [] };
  /** The name of the database leads to `own`, that of a stranger to the canary. */
  const get = async (ownPorts: EgressRules['ownPorts'], own: () => readonly string[], host = 'stranger.test') => {
    const names: Resolve = async (name) => (name === 'db.test' ? own() : ['127.0.0.1']);
    const opened = clientOf({ ...OPENED, ownPorts }, names);
    const answer = await opened.fetch({ url: `http://${host}:${canary.port}/`, headers: {} });
    opened.close();
    return answer;
  };
  const named = () => [{ host: 'db.test', port: canary.port }];
  const own = { ok: false, code: 'blocked', message: 'refused by the egress rule "own-port"' };

  it('is refused at all addresses of its name', async () => {
    const before = canary.connections();
    for (const host of ['stranger.test', 'db.test', '127.0.0.1', '[::ffff:127.0.0.1]'])
      expect(await get(named(), () => ['192.0.2.7', '127.0.0.1'], host)).toMatchObject(own);
    expect(canary.connections()).toBe(before);
  });

  it('is refused at the address that the server itself reported', async () => {
    expect(await get([{ host: '127.0.0.1', port: canary.port }], () => [])).toMatchObject(own);
  });

  it('is resolved again: it is no longer refused at an address that it has left', async () => {
    let address = '127.0.0.1';
    expect(await get(named(), () => [address])).toMatchObject(own);
    address = '192.0.2.7';
    expect(await get(named(), () => [address])).toMatchObject({ ok: true });
  });

  it('whose name does not resolve is refused by its port on every host, other ports are not', async () => {
    const failing = () => {
      throw new Error('no answer');
    };
    expect(await get(named(), failing)).toMatchObject(own);
    expect(await get([{ host: 'db.test', port: 1_024 }], failing)).toMatchObject({ ok: true });
  });
});
