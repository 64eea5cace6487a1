import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cycle, openCycle } from '../support/cycle.js';

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

const noDns = { 'hostdb.check.new': 'false', 'hostdb.check.known': 'false', 'hostdb.check.failed': 'false' };
const inUnicode = { ...noDns, 'urlnormalizer.basic.host.idn': 'toUnicode' };

/** The hosts of a crawl with their metadata, after a HOSTDB with these lines. */
async function hostsAfter(crawlId: string, lines: string[], conf: Record<string, string>): Promise<unknown> {
  await cycle.run('HOSTDB', { hosts: lines.join('\n') }, { crawlId, conf });
  const hosts = await cycle.db.query<{ host: string; metadata: unknown }>(
    `select host, h.metadata from host h join crawl c on c.id = h.crawl where c.name = $1 order by host`,
    [crawlId],
  );
  return Object.fromEntries(hosts.map(({ host, metadata }) => [host, metadata]));
}

describe('the argument hosts of HOSTDB (urlnormalizer.basic.host.idn)', () => {
  it.each(['bücher.test', 'BÜCHER.test', 'xn--bcher-kva.test', 'http://bücher.test/'])(
    'names a host that the crawl stores in Unicode as %s',
    async (name) => {
      const crawlId = `unicode-${Buffer.from(name).toString('hex')}`;
      await cycle.inject(['http://bücher.test/'], {}, { crawlId, conf: inUnicode });
      expect(await hostsAfter(crawlId, [`${name}\tk=v`], noDns)).toEqual({ 'test.bücher': { k: 'v' } });
    },
  );

  it('adds a host as the normalizers of the job write it', async () => {
    await cycle.inject(['http://a.test/'], {}, { crawlId: 'new' });
    const lines = ['bücher.test\tk=v', '[2001:db8::1]\tv6=1', '192.0.2.1\tv4=1'];
    const addresses = { '192.0.2.1': { v4: '1' }, '[2001-db8--1]': { v6: '1' }, 'test.a': null };
    expect(await hostsAfter('new', lines, noDns)).toEqual({ ...addresses, 'test.xn--bcher-kva': { k: 'v' } });
    await cycle.inject(['http://a.test/'], {}, { crawlId: 'new-unicode' });
    expect(await hostsAfter('new-unicode', lines, inUnicode)).toEqual({ ...addresses, 'test.bücher': { k: 'v' } });
  });

  it('names a host that the crawl stores in ASCII, whatever the normalizers write now', async () => {
    await cycle.inject(['http://bücher.test/'], {}, { crawlId: 'ascii' });
    expect(await hostsAfter('ascii', ['bücher.test\tk=v'], inUnicode)).toEqual({ 'test.xn--bcher-kva': { k: 'v' } });
  });
});
