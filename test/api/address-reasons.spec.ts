/** What the inspector says of where a URL leads is what the connection would meet. */
import { describe, expect, it } from 'vitest';
import { AddressInspector } from '../../src/api/inspect/address-reasons.js';
import { makeEgressGuard } from '../../src/net/egress-guard.js';

const guard = makeEgressGuard({
  exclude: [],
  include: [],
  deniedPorts: [],
  ownPorts: [{ host: 'db.test', port: 6_543 }],
});

describe('a URL that leads to the database of this server by another name', () => {
  const addresses: Readonly<Record<string, string>> = { 'db.test': '192.0.2.7', 'alias.test': '192.0.2.7' };
  const inspector = new AddressInspector(async (name) => [addresses[name] ?? '192.0.2.8']);
  const codes = async (url: string) => (await inspector.reasons(guard, url)).map(({ code }) => code);

  it('is told to be blocked, as is its address, and other hosts and ports are not', async () => {
    expect(await codes('http://alias.test:6543/')).toEqual(['PORT']);
    expect(await codes('http://192.0.2.7:6543/')).toEqual(['PORT']);
    expect(await codes('http://other.test:6543/')).toEqual([]);
    expect(await codes('http://alias.test:6544/')).toEqual([]);
  });

  it('is told to be blocked while the name of the database has no answer', async () => {
    const unanswered = new AddressInspector(async (name) => {
      if (name === 'db.test') throw new Error('no answer');
      return ['192.0.2.8'];
    });
    expect((await unanswered.reasons(guard, 'http://other.test:6543/')).map(({ code }) => code)).toEqual(['PORT']);
  });
});
