import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SeedListStore } from '../../src/conf/seed-list.store.js';
import { partitionHash } from '../../src/core/url/partition.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { batchPaths, counter, pathOf, pages } from './table.js';

/**
 * GENERATE of a part of the table: `expr`, `startKey`, `endKey`, `noScore` (feature rows C9, C26, C27, C42); partitions of
 * normalized URLs (C11).
 */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

const generate = (crawlId: string, args: Record<string, unknown> = {}) => cycle.run('GENERATE', args, { crawlId });

describe('GENERATE with expr', () => {
  beforeAll(() =>
    cycle.inject(
      [
        'http://amazon.test/\tnutch.score=10',
        'http://google.test/\tnutch.score=7',
        'http://www.other.test/x\tnutch.score=1',
      ],
      {},
      { crawlId: 'expr' },
    ),
  );

  it.each([
    ['score>8', ['test.amazon:http/']],
    ['score > 8 or host =^ "www"', ['test.amazon:http/', 'test.other.www:http/x']],
    ["url =~ '.*/x' && domain == 'other.test'", ['test.other.www:http/x']],
    [
      "status == 'db_unfetched' and interval == 2592000 and retries == 0 and distance == 0 and score < 8",
      ['test.google:http/', 'test.other.www:http/x'],
    ],
    [
      "fetchTime > 2020-01-01T00:00:00Z and modifiedTime == 0 and signature == '' and score == 7",
      ['test.google:http/'],
    ],
    ['score > 100', []],
  ])('%s selects matching pages only and counts the others', async (expr, keys) => {
    const job = await generate('expr', { expr });
    expect(job.result?.['generate.count']).toBe(keys.length);
    expect(counter(job, 'Generator', 'EXPR_REJECTED')).toBe(3 - keys.length);
    expect((await pages(cycle, 'expr')).filter((page) => page.generate_mark !== null).map(({ key }) => key)).toEqual(
      keys,
    );
    await cycle.run('UPDATEDB', { batch: job.result?.['generate.batch.id'] ?? 'none' }, { crawlId: 'expr' });
  });
});

describe('GENERATE with startKey and endKey', () => {
  beforeAll(() =>
    cycle.inject(
      [
        'http://a.test/1',
        'http://b.test/1',
        'http://b.test/2',
        'http://b.test/3',
        'https://b.test/1',
        'http://c.test/1',
      ],
      {},
      { crawlId: 'keys' },
    ),
  );

  it.each<[string, Record<string, unknown>, string[]]>([
    ['from a URL to the end', { startKey: 'http://b.test/3' }, ['test.b:http/3', 'test.b:https/1', 'test.c:http/1']],
    ['up to and including a URL', { endKey: 'http://b.test/1' }, ['test.a:http/1', 'test.b:http/1']],
    [
      'between two URLs',
      { startKey: 'http://b.test/2', endKey: 'http://b.test/z' },
      ['test.b:http/2', 'test.b:http/3'],
    ],
    ['of URLs as browsers accept them', { startKey: 'http://B.test:80/3', endKey: 'http://b.test/日' }, []],
    ['of a host in capitals', { startKey: 'http://C.test', endKey: 'http://C.test/~' }, ['test.c:http/1']],
    ['from a prefix of a row key', { startKey: 'test.c' }, ['test.c:http/1']],
    [
      'up to a row key that contains a URL',
      { endKey: 'test.b:http/1?u=http://c.test/' },
      ['test.a:http/1', 'test.b:http/1'],
    ],
  ])('selects pages of a key range: %s', async (_, args, keys) => {
    const job = await generate('keys', args);
    expect((await pages(cycle, 'keys')).filter((page) => page.generate_mark !== null).map(({ key }) => key)).toEqual(
      keys,
    );
    await cycle.run('UPDATEDB', { batch: job.result?.['generate.batch.id'] }, { crawlId: 'keys' });
  });
});

describe('GENERATE with noScore', () => {
  it('selects the first pages of the table instead of the best (C26, C27)', async () => {
    const lines = Array.from({ length: 9 }, (_, i) => `http://a.test/${i + 1}\tnutch.score=${i + 1}`);
    await cycle.inject(lines, {}, { crawlId: 'first' });
    const first = await generate('first', { topN: 3, noScore: true });
    expect(await batchPaths(cycle, first, 'first')).toEqual(['/1', '/2', '/3']);
    const best = await generate('first', { topN: 3 });
    expect(await batchPaths(cycle, best, 'first')).toEqual(['/7', '/8', '/9']);
    const later = await generate('first', { topN: 2, noScore: 'true', adddays: 1 });
    expect(await batchPaths(cycle, later, 'first')).toEqual(['/4', '/5']);
    expect(
      (await pages(cycle, 'first')).filter((page) => page.generate_mark === null).map(({ key }) => pathOf(key)),
    ).toEqual(['/6']);
  });
});

describe('GENERATE with noScore for a host with subdomains', () => {
  const lines = ['http://site.test/1', 'http://site.test/2', 'http://www.site.test/1', 'http://site-b.test/'];
  const keys = ['test.site:http/1', 'test.site:http/2', 'test.site-b:http/', 'test.site.www:http/1'];

  it.each([
    ['the current clock', {}],
    ['a clock ahead', { adddays: 1 }],
  ])('selects in table order, by host and then key, with %s (C26)', async (name, args) => {
    const crawlId = name.replaceAll(' ', '-');
    await cycle.inject(lines, {}, { crawlId });
    const taken: string[] = [];
    for (const n of [1, 1, 2]) {
      const job = await generate(crawlId, { topN: n, noScore: true, ...args });
      const batch = job.result?.['generate.batch.id'];
      taken.push(...(await pages(cycle, crawlId)).filter((page) => page.generate_mark === batch).map(({ key }) => key));
    }
    expect(taken).toEqual(keys);
  });
});

describe('partition.url.normalise', () => {
  const rule =
    '<regex-normalize><regex><pattern>//(m|www)\\.</pattern><substitution>//</substitution></regex></regex-normalize>';
  const conf = { 'urlnormalizer.scope.partition': 'urlnormalizer-regex', 'urlnormalizer.regex.rules.partition': rule };

  const ascending = (a: number, b: number) => a - b;
  const hashes = async (crawlId: string) => {
    const rows = await cycle.db.query<{ hash: number }>(
      `select distinct partition_hash as hash from webpage
        where crawl = (select id from crawl where name = $1) order by 1`,
      [crawlId],
    );
    return rows.map(({ hash }) => hash);
  };

  it.each([
    ['true', 3, 1],
    ['false', 0, 3],
  ])('%s: normalizes %i URLs before partitioning (C11)', async (normalise, normalized, partitions) => {
    const crawlId = `normalise-${normalise}`;
    await cycle.inject(['http://a.test/', 'http://www.a.test/', 'http://m.a.test/'], {}, { crawlId });
    const job = await cycle.run('GENERATE', {}, { crawlId, conf: { ...conf, 'partition.url.normalise': normalise } });
    expect(job.result?.['generate.count']).toBe(3);
    expect(counter(job, 'Generator', 'PARTITION_NORMALIZED')).toBe(normalized);
    expect(await hashes(crawlId)).toHaveLength(partitions);
  });

  const withoutScheme = { 'urlnormalizer.regex.rules.partition': '^https?://\t' };

  it('partitions a URL that normalizers leave without a scheme by its own host', async () => {
    await cycle.inject(['http://a.test/1', 'http://a.test/2', 'http://b.test/'], {}, { crawlId: 'schemeless' });
    const job = await cycle.run('GENERATE', {}, { crawlId: 'schemeless', conf: withoutScheme });
    expect(job).toMatchObject({ state: 'FINISHED', result: { 'generate.count': 3 } });
    expect(await hashes('schemeless')).toEqual([partitionHash('a.test'), partitionHash('b.test')].toSorted(ascending));
  });

  it.each([
    ['true', 2, ['a.test']],
    ['false', 0, ['m.a.test', 'www.a.test']],
  ])('%s: normalizes %i URLs of a list before partitioning', async (normalise, normalized, hosts) => {
    const crawlId = `listed-${normalise}`;
    const seeds = ['http://www.a.test/', 'http://m.a.test/'];
    await new SeedListStore(cycle.dataSource).save(
      { name: crawlId, id: null },
      seeds.map((line) => ({ id: null, line })),
    );
    const job = await cycle.run(
      'GENERATE',
      { freegen: crawlId },
      { crawlId, conf: { ...conf, 'partition.url.normalise': normalise } },
    );
    expect(counter(job, 'Generator', 'PARTITION_NORMALIZED')).toBe(normalized);
    expect(await hashes(crawlId)).toEqual(hosts.map((host) => partitionHash(host)).toSorted(ascending));
  });
});
