import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { guardOf } from '../../src/plugin/egress-guards.js';
import { makeHttpClient } from '../../src/plugin/http-protocol.js';

/** C3 of the threat list: whatever a crawl allows, it cannot reach the ports of this server and its database on this machine. */
const OURS = 8081;
const opened = { 'http.filter.ipaddress.exclude': '', 'http.filter.ports.exclude': '' };
const { conf } = parseConf(opened);
const addresses = Object.values(networkInterfaces()).flatMap((each) => (each ?? []).map(({ address }) => address));

describe.each([...addresses, '127.0.0.2', '0.0.0.0', '::'])('the egress guard for local address %s', (address) => {
  it('blocks the ports of the server and allows others', () => {
    const guard = guardOf(conf, [OURS]);
    expect(guard.check(address, OURS)).toEqual({ rule: 'own-port' });
    expect(guard.check(address, OURS + 1)).toBe(null);
  });

  it('refuses a proxy on a port of the server', async () => {
    const proxied = parseConf({ ...opened, 'http.proxy.host': address, 'http.proxy.port': String(OURS) });
    const client = makeHttpClient(proxied.conf, [OURS]);
    const answer = await client.fetch({ url: 'http://127.0.0.3:9/', headers: {} });
    expect(answer).toMatchObject({ code: 'refused', message: 'the proxy would be this server itself' });
    client.close();
  });
});
