/**
 * C1 and C2 of the threat list: however an inner address is written, and whatever a name server says the second time, the
 * canary on loopback must see no connection.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { makeEgressGuard, type EgressRules } from '../../src/net/egress-guard.js';
import { SHIPPED_EXCLUSIONS } from '../../src/net/address-classes.js';
import { DEFAULT_LIMITS, HttpClient } from '../../src/net/http-client.js';
import { rememberingResolver, type Resolve } from '../../src/net/resolver.js';
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

  it('a name without an address is no refusal', async () => {
    expect(await client.fetch({ url: 'http://nowhere.test/', headers: {} })).toMatchObject({ ok: false, code: 'dns' });
  });

  it('the refusal names the rule and not the address', async () => {
    const answer = await client.fetch({ url: 'http://127.0.0.1.nip.test:9999/', headers: {} });
    expect(answer).toMatchObject({ message: 'refused by the egress rule "loopback"' });
    expect(JSON.stringify(answer)).not.toContain('127.0.0.1');
  });

  it.each([0, 22, 25, 5432, 6379, 11211])('port %s is refused wherever it is', async (port) => {
    expect(await client.fetch({ url: `http://93.184.216.34:${port}/`, headers: {} })).toMatchObject({
      code: 'blocked',
    });
  });
});

describe('a name server that changes its mind', () => {
  /** Outer addresses are loopback ones of another host here, so that the test needs no network. */
  const rules: EgressRules = { exclude: ['127.0.0.1'], include: [] };
  const turncoat = (...answers: string[][]): Resolve => {
    let asked = 0;
    return () => Promise.resolve(answers[Math.min(asked++, answers.length - 1)] ?? []);
  };

  it('is asked once: the connection goes to the address that was judged', async () => {
    const outer = await startSite(page('outer'), { host: '127.0.0.9', port: canary.port });
    const own = clientOf(rules, turncoat(['127.0.0.9'], ['127.0.0.1']));
    const answer = await own.fetch({ url: `http://rebind.test:${canary.port}/`, headers: {} });
    expect(answer).toMatchObject({ ok: true, address: '127.0.0.9' });
    expect([outer.connections(), canary.connections()]).toEqual([1, 0]);
    own.close();
    await outer.close();
  });

  it('is judged again at the next connection', async () => {
    const outer = await startSite(page('outer', { connection: 'close' }), { host: '127.0.0.9', port: canary.port });
    const own = clientOf(rules, turncoat(['127.0.0.9'], ['127.0.0.1']));
    const url = `http://rebind.test:${canary.port}/`;
    expect(await own.fetch({ url, headers: {} })).toMatchObject({ ok: true });
    expect(await own.fetch({ url, headers: {} })).toMatchObject({ ok: false, code: 'blocked' });
    expect(canary.connections()).toBe(0);
    own.close();
    await outer.close();
  });

  it('is judged again when a kept connection broke and the request is repeated', async () => {
    let served = 0;
    const outer = await startSite(
      (req, res) => {
        served += 1;
        if (served > 1) req.socket.resetAndDestroy();
        else res.end('outer');
      },
      { host: '127.0.0.9', port: canary.port },
    );
    const own = clientOf(rules, turncoat(['127.0.0.9'], ['127.0.0.1']));
    const url = `http://rebind.test:${canary.port}/`;
    await own.fetch({ url, headers: {} });
    expect(await own.fetch({ url, headers: {} })).toMatchObject({ ok: false, code: 'blocked' });
    expect(canary.connections()).toBe(0);
    own.close();
    await outer.close();
  });

  it('tries the other addresses of an answer when one refuses the connection', async () => {
    const outer = await startSite(page('outer'), { host: '127.0.0.9' });
    const own = clientOf(rules, turncoat(['127.0.0.8', '127.0.0.9']));
    const answer = await own.fetch({ url: `http://two.test:${outer.port}/`, headers: {} });
    expect(answer).toMatchObject({ ok: true, address: '127.0.0.9' });
    own.close();
    await outer.close();
  });
});

describe('robots.txt', () => {
  const request = { headers: {}, limits: DEFAULT_LIMITS, maxRedirects: 5 };

  it.each([301, 302, 303, 307, 308])('that leads inside by a %s is refused', async (code) => {
    const outer = await startSite(redirect(`${canary.url}/robots.txt`, code), { host: '127.0.0.9' });
    const own = clientOf({ exclude: ['127.0.0.1'], include: [] });
    expect(await fetchRobots(own, { ...request, origin: outer.url })).toMatchObject({ error: 'blocked' });
    expect(canary.connections()).toBe(0);
    own.close();
    await outer.close();
  });
});

describe('our own ports', () => {
  it('are refused when every address is open, by whatever name', async () => {
    const own = clientOf({ exclude: [], include: [], ownPorts: [canary.port] });
    for (const host of ['127.0.0.1', '[::1]', '0.0.0.0', 'localhost', '[::ffff:127.0.0.1]']) {
      const answer = await own.fetch({ url: `http://${host}:${canary.port}/`, headers: {} });
      expect(answer).toMatchObject({ ok: false, code: 'blocked', message: 'refused by the egress rule "own-port"' });
    }
    expect(canary.connections()).toBe(0);
    own.close();
  });
});

describe('the resolver memory', () => {
  const counting = () => {
    const asked: string[] = [];
    const ask: Resolve = (name) => {
      asked.push(name);
      return name === 'bad' ? Promise.reject(new Error('no')) : Promise.resolve(['192.0.2.1']);
    };
    return { asked, ask };
  };

  it('asks once within its time, and again after it', async () => {
    let now = 0;
    const { asked, ask } = counting();
    const remembering = rememberingResolver(ask, { ttlMs: 60_000, now: () => now });
    await Promise.all([remembering('a'), remembering('a')]);
    now = 59_999;
    await remembering('a');
    expect(asked).toEqual(['a']);
    now = 60_000;
    await remembering('a');
    expect(asked).toEqual(['a', 'a']);
  });

  it('forgets failures after a short while, and the oldest name when it is full', async () => {
    const { asked, ask } = counting();
    let now = 0;
    const remembering = rememberingResolver(ask, { size: 2, failureMs: 10_000, now: () => now });
    for (const time of [0, 0, 9_999, 10_000]) {
      now = time;
      await expect(remembering('bad')).rejects.toThrow('no');
    }
    for (const name of ['a', 'b', 'c', 'b', 'a']) await remembering(name);
    expect(asked).toEqual(['bad', 'bad', 'a', 'b', 'c', 'a']);
  });
});

describe('the database of this server, on whatever host it is, with every range opened', () => {
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

  it('is refused at the addresses that its name has', async () => {
    const before = canary.connections();
    for (const host of ['stranger.test', 'db.test', '127.0.0.1', '[::ffff:127.0.0.1]'])
      expect(await get(named(), () => ['192.0.2.7', '127.0.0.1'], host)).toMatchObject(own);
    expect(canary.connections()).toBe(before);
  });

  it('is refused at the address that the server itself reported', async () => {
    expect(await get([{ host: '127.0.0.1', port: canary.port }], () => [])).toMatchObject(own);
  });

  it('is looked up again, so that it is refused where it has moved to and no longer where it was', async () => {
    let address = '127.0.0.1';
    expect(await get(named(), () => [address])).toMatchObject(own);
    address = '192.0.2.7';
    expect(await get(named(), () => [address])).toMatchObject({ ok: true });
  });

  it('whose name has no answer may be anywhere: its port is refused, and others are not', async () => {
    const failing = () => {
      throw new Error('no answer');
    };
    expect(await get(named(), failing)).toMatchObject(own);
    expect(await get([{ host: 'db.test', port: 1_024 }], failing)).toMatchObject({ ok: true });
  });
});
