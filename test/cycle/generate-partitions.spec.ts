import dns from 'node:dns/promises';
import { describe, expect, it } from 'vitest';
import { partitionHash } from '../../src/core/url/partition.js';
import { replaceBuiltin } from '../support/builtins.js';
import { cycle, useCrawler } from './crawler.js';
import { countOf, generate, inject, marked, urls } from './generating.js';
import { batchOf, counter, pages } from './table.js';

/** Partitions, limit per host and segments of GENERATE (docs/semantics/generate.md; feature rows C10 to C23). */

/** One address for a.test and b.test, one for c.test, none for others. */
const addresses: Record<string, string> = { 'a.test': '192.0.2.1', 'b.test': '192.0.2.1', 'c.test': '192.0.2.2' };
const asked: string[] = [];
replaceBuiltin(dns, {
  async lookup(name: string) {
    asked.push(name);
    if (!addresses[name]) throw new Error('no such name');
    return [{ address: addresses[name], family: 4 }];
  },
});

useCrawler();

describe('partitions of GENERATE', () => {
  it('select 10 + 100 + 100 = 210 pages with topN 2500, 5 reducers and 100 a host (C18, C19)', async () => {
    // A seed that puts the three hosts into one partition.
    const seed = 89;
    expect(new Set(['abc.com', 'klm.com', 'xyz.com'].map((host) => partitionHash(host, seed) % 5)).size).toBe(1);
    await inject('c18', [...urls('abc.com', 10), ...urls('klm.com', 100), ...urls('xyz.com', 1_000)]);
    const conf = { 'mapreduce.job.reduces': '5', 'generate.max.count': '100', 'partition.url.seed': String(seed) };
    const job = await generate('c18', { topN: 2_500 }, conf);
    expect(job.result).toMatchObject({ 'generate.count': 210 });
    expect(await marked('c18')).toEqual({ 'com.abc': 10, 'com.klm': 100, 'com.xyz': 100 });
    expect(counter(job, 'Generator', 'HOST_LIMIT')).toBe(900);
  });

  it('select the same when partition.hosts puts the three hosts into one partition', async () => {
    await inject('c18b', [...urls('abc.com', 10), ...urls('klm.com', 100), ...urls('xyz.com', 1_000)]);
    const conf = { 'mapreduce.job.reduces': '5', 'partition.hosts': 'abc.com,klm.com,xyz.com' };
    const job = await generate('c18b', { topN: 2_500 }, { ...conf, 'generate.max.count': '100' });
    expect(job.result).toMatchObject({ 'generate.count': 210 });
    expect(await countOf('c18b', { topN: 2_500 }, conf)).toBe(500);
  });

  it('select topN / reducers each, and a warning reports a short batch (C14, C22, C23)', async () => {
    await inject('c14', urls('a.test', 100));
    const job = await generate('c14', { topN: 10 }, { 'mapreduce.job.reduces': '5' });
    expect(job.result).toMatchObject({ 'generate.count': 2 });
    expect(job.result?.['warnings']).toEqual([
      '2 of topN 10 selected: each of 5 partitions (mapreduce.job.reduces, numFetchers) takes at most 2, and 98 pages were over that',
    ]);
    const warnings = await cycle.db.query(`select data from job_event where kind = 'warning' and job = $1`, [job.id]);
    expect(warnings).toHaveLength(1);
    expect(await countOf('c14', { topN: 10, numFetchers: 2 })).toBe(5);
  });

  it('do not prevent a topN below their number from being selected', async () => {
    await inject('c14-0', urls('a.test', 3));
    const conf = { 'mapreduce.job.reduces': '5' };
    expect(await countOf('c14-0', { topN: 2 }, conf)).toBe(2);
    expect(await countOf('c14-0', { topN: 2 }, conf)).toBe(1);
  });

  it('contain whole domains with byDomain (C10)', async () => {
    await inject(
      'c10',
      ['a', 'b', 'c', 'd'].flatMap((name) => urls(`${name}.example.com`, 2)),
    );
    await generate('c10', {}, { 'partition.url.mode': 'byDomain' });
    const { rows } = await cycle.pool.query(
      `select distinct partition_hash as hash from webpage where crawl = (select id from crawl where name = 'c10')`,
    );
    expect(rows).toEqual([{ hash: partitionHash('example.com') }]);
  });

  it('look up the address of each host once with byIP (C12)', async () => {
    asked.length = 0;
    await inject(
      'c12',
      ['a.test', 'b.test', 'c.test', 'nowhere.test'].flatMap((host) => urls(host, 300)),
    );
    const job = await generate('c12', {}, { 'partition.url.mode': 'byIP', 'generate.count.mode': 'ip' });
    expect(counter(job, 'Generator', 'NAMES_LOOKED_UP')).toBe(4);
    expect(asked.sort()).toEqual(['a.test', 'b.test', 'c.test', 'nowhere.test']);
    const hashes = new Map(
      (
        await cycle.db.query<{ host: string; hash: number }>(
          `select distinct host, partition_hash as hash from webpage where crawl = (select id from crawl where name = 'c12')`,
        )
      ).map(({ host, hash }) => [host, hash]),
    );
    expect(hashes.size).toBe(4);
    expect(hashes.get('test.a')).toBe(partitionHash('192.0.2.1'));
    expect(hashes.get('test.b')).toBe(hashes.get('test.a'));
    expect(hashes.get('test.c')).toBe(partitionHash('192.0.2.2'));
  });
});

describe('generate.max.count', () => {
  it.each([
    ['host', { 'com.example.one': 1, 'com.example.two': 1, 'net.other': 1 }],
    ['domain', { 'com.example.one': 1, 'net.other': 1 }],
  ])('counts by %s (C16, C17)', async (mode, expected) => {
    const crawlId = `c16-${mode}`;
    await inject(crawlId, [...urls('one.example.com', 3), ...urls('two.example.com', 3), ...urls('other.net', 3)]);
    await generate(crawlId, {}, { 'generate.max.count': '1', 'generate.count.mode': mode });
    expect(await marked(crawlId)).toEqual(expected);
  });

  it.each([
    [{}, {}, 2],
    [{ normalize: 'false' }, {}, 6],
    [{}, { 'generate.normalise': 'false' }, 6],
    [{}, { 'generate.filter': 'false' }, 2],
  ])('counts hosts as the normalizers of generate_host_count write them (%j, %j)', async (args, conf, expected) => {
    const crawlId = `counted-${JSON.stringify([args, conf]).replace(/\W+/g, '-')}`;
    await inject(
      crawlId,
      ['www', 'm', 'old'].flatMap((name) => urls(`${name}.site.test`, 3)),
    );
    const rules = 'http://(?:www|m|old)\\.site\\.test/\thttp://site.test/';
    const all = { 'generate.max.count': '2', 'urlnormalizer.regex.rules.generate_host_count': rules, ...conf };
    expect(await countOf(crawlId, args, all)).toBe(expected);
  });

  it('counts pages of one host apart if normalizers of generate_host_count write them so', async () => {
    await inject('paths', [
      ...urls('one.test', 600),
      ...urls('one.test', 3).map((url) => url.replace('.test/', '.test/~x/')),
    ]);
    const rules = 'http://one\\.test/~(\\w+)/\thttp://$1.test/';
    const conf = { 'generate.max.count': '2', 'urlnormalizer.regex.rules.generate_host_count': rules };
    expect(await countOf('paths', {}, conf)).toBe(4);
  });

  it('counts the hosts of an intranet, whose suffix is on no list, as one domain', async () => {
    await inject('intranet', [
      ...urls('h1.corp.internal', 3),
      ...urls('a.h2.corp.internal', 3),
      ...urls('10.0.0.7', 3),
    ]);
    const conf = { 'generate.max.count': '2', 'generate.count.mode': 'domain' };
    await generate('intranet', {}, conf);
    const { '10.0.0.7': address, ...names } = await marked('intranet');
    expect(address).toBe(2);
    expect(Object.values(names).reduce((sum, pages) => sum + pages)).toBe(2);
  });

  it('counts two hosts with one address together (C17)', async () => {
    await inject(
      'c17',
      ['a.test', 'b.test', 'c.test'].flatMap((host) => urls(host, 5)),
    );
    await generate('c17', {}, { 'generate.max.count': '3', 'generate.count.mode': 'ip' });
    const perHost = await marked('c17');
    expect((perHost['test.a'] ?? 0) + (perHost['test.b'] ?? 0)).toBe(3);
    expect(perHost['test.c']).toBe(3);
  });

  it('leaves the rest of topN to lower scores of other hosts (C21)', async () => {
    await inject('c21', [...urls('abc.test', 5, '\tnutch.score=9'), ...urls('xyz.test', 5)]);
    await generate('c21', { topN: 4 }, { 'generate.max.count': '2' });
    expect(await marked('c21')).toEqual({ 'test.abc': 2, 'test.xyz': 2 });
  });

  it.each(['-1', '0'])('set to %s is no limit', async (max) => {
    await inject(`max${max}`, urls('a.test', 5));
    expect(await countOf(`max${max}`, {}, { 'generate.max.count': max })).toBe(5);
  });

  it('does not count pages of earlier batches (Nutch 2.x cases 1 to 3)', async () => {
    await inject('steps', urls('www.example.com', 3));
    const counts = [];
    for (const max of ['1', '2', '3']) counts.push(await countOf('steps', {}, { 'generate.max.count': max }));
    expect(counts).toEqual([1, 2, 0]);
  });

  it('by domain does not count pages of earlier batches (Nutch 2.x cases 4 to 6)', async () => {
    await inject(
      'steps-d',
      ['one', 'two', 'three'].flatMap((name) => urls(`${name}.example.com`, 2)),
    );
    const counts = [];
    for (const max of ['1', '2', '3'])
      counts.push(await countOf('steps-d', {}, { 'generate.max.count': max, 'generate.count.mode': 'domain' }));
    expect(counts).toEqual([1, 2, 3]);
  });
});

describe('several segments of one GENERATE', () => {
  const segmentsOf = async (crawlId: string, args: Record<string, unknown>, conf: Record<string, string>) => {
    const job = await generate(crawlId, args, conf);
    const ids = (job.result?.['generate.batch.ids'] as string[] | undefined) ?? [batchOf(job)];
    const all = await pages(cycle, crawlId);
    return ids.map((id) => all.filter((page) => page.generate_mark === id).length);
  };

  it.each([
    [{ h: 5 }, 1, 2, undefined, [2]],
    [{ h: 5 }, 2, 2, undefined, [2, 2]],
    [{ h: 5 }, 3, 2, undefined, [2, 2, 1]],
    [{ h1: 3, h2: 3 }, 1, -1, 4, [4]],
    // The original gives each segment topN; here it is the total of all.
    [{ h1: 3, h2: 3 }, 2, -1, 2, [1, 1]],
    // A count does not put all into the first segment.
    [{ h1: 2, h2: 2 }, 2, 9, 4, [2, 2]],
  ])('%j in %d segments, %d a host, topN %d: selects %j (Nutch 1.x)', async (hosts, segments, max, topN, expected) => {
    const crawlId = `seg-${segments}-${max}-${topN ?? 'all'}-${Object.keys(hosts).join('')}`;
    await inject(
      crawlId,
      Object.entries(hosts).flatMap(([host, n]) => urls(host, n)),
    );
    const args = { maxNumSegments: segments, ...(topN === undefined ? {} : { topN }) };
    expect(await segmentsOf(crawlId, args, { 'generate.max.count': String(max) })).toEqual(expected);
  });
});
