/** The inspector reports the same address rules that a connection would be checked against. */
import { describe, expect, it } from 'vitest';
import { AddressInspector } from '../../src/api/inspect/address-reasons.js';
import { makeEgressGuard } from '../../src/core/address/egress-guard.js';

const guard = makeEgressGuard({
  exclude: [],
  include: [],
  deniedPorts: [],
  ownPorts: [{ host: 'db.test', port: 6_543 }],
});

describe('AddressInspector for a URL that reaches the database of this server by another name', () => {
  const addresses: Readonly<Record<string, string>> = { 'db.test': '192.0.2.7', 'alias.test': '192.0.2.7' };
  const inspector = new AddressInspector(async (name) => [addresses[name] ?? '192.0.2.8']);
  const codes = async (url: string) => (await inspector.reasons(guard, url)).map(({ code }) => code);

  it('reports the alias and the address as blocked, other hosts and ports not', async () => {
    expect(await codes('http://alias.test:6543/')).toEqual(['PORT']);
    expect(await codes('http://192.0.2.7:6543/')).toEqual(['PORT']);
    expect(await codes('http://other.test:6543/')).toEqual([]);
    expect(await codes('http://alias.test:6544/')).toEqual([]);
  });

  it('reports the port of the database as blocked while its name does not resolve', async () => {
    const unanswered = new AddressInspector(async (name) => {
      if (name === 'db.test') throw new Error('no answer');
      return ['192.0.2.8'];
    });
    expect((await unanswered.reasons(guard, 'http://other.test:6543/')).map(({ code }) => code)).toEqual(['PORT']);
  });
});

describe('a name without an address is noted as ADDRESS_UNKNOWN, which does not prevent the fetch,', () => {
  const noted = (message: string) => [
    {
      code: 'ADDRESS_UNKNOWN',
      blocks: false,
      message: `${message}: the guard will check its address when it is fetched.`,
    },
  ];

  it('because no server knows it', async () => {
    const failure = Object.assign(new Error('getaddrinfo ENOTFOUND nowhere.test'), { code: 'ENOTFOUND' });
    const inspector = new AddressInspector(() => Promise.reject(failure));
    expect(await inspector.reasons(guard, 'http://nowhere.test/')).toEqual(
      noted('The name nowhere.test could not be resolved (ENOTFOUND)'),
    );
  });

  it('because the answer is late, or because other names are being looked up', async () => {
    const inspector = new AddressInspector(() => new Promise(() => undefined));
    const reasons = (host: string) => inspector.reasons(guard, `http://${host}/`);
    const [first, second, third] = await Promise.all(['a.test', 'b.test', 'c.test'].map(reasons));
    expect(first).toEqual(noted('The name a.test could not be resolved within 1000 ms'));
    expect(second).toEqual(noted('The name b.test could not be resolved within 1000 ms'));
    expect(third).toEqual(noted('The name c.test was not looked up, as other inspections are looking up names'));
  });
});
