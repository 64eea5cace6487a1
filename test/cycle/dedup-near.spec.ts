import { describe, expect, it } from 'vitest';
import { DedupJob } from '../../src/cycle/dedup/dedup.job.js';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { byPath, counter, pages } from './table.js';

/** DEDUP of near duplicates: contents whose SimHashes differ in few bits. */

useCrawler();

interface Content {
  path: string;
  signature: string;
  score: number;
  host?: string;
}

const dedup = (crawlId: string, conf: Record<string, string> = {}, args: Record<string, unknown> = {}) =>
  cycle.run('DEDUP', args, { crawlId, conf });

/** Writes fetched pages into the table, and what UPDATEDB notes of them. */
async function add(crawlId: string, contents: readonly Content[]): Promise<void> {
  await crawler.inject(crawlId, []);
  const hosts = contents.map(({ host = 'test.a' }) => host);
  const of = <T>(value: (content: Content) => T): T[] => contents.map(value);
  await cycle.db.query(
    `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, signature)
     select (select id from crawl where name = $1), host, host || ':http' || path, '2027-01-01', 1, score, 0, 2, 'link', signature
       from unnest($2::text[], $3::text[], $4::float8[], $5::text[]) as p (host, path, score, signature)
     on conflict (crawl, host, key_hash) do update set score = excluded.score, signature = excluded.signature, status = 2`,
    [crawlId, hosts, of(({ path }) => path), of(({ score }) => score), of(({ signature }) => signature)],
  );
  await cycle.db.query(
    `insert into signature_due select (select id from crawl where name = $1), now(), host, signature
       from unnest($2::text[], $3::text[]) as p (host, signature) on conflict do nothing`,
    [crawlId, hosts, of(({ signature }) => signature)],
  );
  await cycle.db.query('delete from host where crawl = (select id from crawl where name = $1)', [crawlId]);
  await cycle.db.query(
    `insert into host (crawl, host, domain, n_fetched, n_duplicate)
     select crawl, host, host, count(*) filter (where status = 2), count(*) filter (where status = 7)
       from webpage where crawl = (select id from crawl where name = $1) group by 1, 2`,
    [crawlId],
  );
}

const staying = async (crawlId: string) =>
  Object.entries(await byPath(cycle, ({ status }) => status, crawlId))
    .filter(([, status]) => status === 2)
    .map(([path]) => path);

/** The number of bits that differ between two signatures of 64 bits, in hexadecimal. */
function bits(a: string, b: string): number {
  let n = 0;
  for (const [from, to] of [
    [0, 8],
    [8, 16],
  ]) {
    let differing = parseInt(a.slice(from, to), 16) ^ parseInt(b.slice(from, to), 16);
    for (; differing !== 0; differing &= differing - 1) n++;
  }
  return n;
}

/** The rule without an index: best first, a page stays when no page that stays is near to it. */
function naive(contents: readonly Content[], distance: number): string[] {
  const kept: Content[] = [];
  for (const one of contents.toSorted((a, b) => b.score - a.score))
    if (kept.every((other) => bits(one.signature, other.signature) > distance)) kept.push(one);
  return kept.map(({ path }) => path).sort();
}

/** Numbers that look random and are the same every time. */
function numbers(seed: number): () => number {
  let state = seed;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}
/** Contents in clusters that touch: walks of up to three changed bits from a few centers. */
function clusters(seed: number, n: number): Content[] {
  const next = numbers(seed);
  const all: Content[] = [];
  for (let i = 0; i < n; i++) {
    const from = i % 40 === 0 ? null : all[all.length - 1 - Math.floor(next() * Math.min(all.length, 10))]!;
    let value =
      from === null
        ? BigInt(Math.floor(next() * 2 ** 32)) * 2n ** 32n + BigInt(Math.floor(next() * 2 ** 32))
        : BigInt(`0x${from.signature}`);
    if (from !== null) for (let k = 0; k < 3; k++) value ^= 1n << BigInt(Math.floor(next() * 64));
    all.push({ path: `/${seed}-${i}`, signature: value.toString(16).padStart(16, '0'), score: next() });
  }
  return all;
}

describe('DEDUP of near duplicates', () => {
  const zero = '0000000000000000';
  const chain: Content[] = [
    { path: '/a', signature: zero, score: 3 },
    { path: '/b', signature: '0000000000000007', score: 2 },
    { path: '/c', signature: '000000000000003f', score: 1 },
  ];

  it('marks pages whose SimHashes differ in up to three bits; the best one stays', async () => {
    await add('near', [...chain.slice(0, 2), { path: '/far', signature: '000000000000000f', score: 0.5 }]);
    const job = await dedup('near');
    expect(counter(job, 'DeduplicationJobStatus', 'Documents marked as duplicate')).toBe(1);
    expect(await staying('near')).toEqual(['/a', '/far']);
  });

  it('in a chain marks pages near to one that stays, and not a page near to a duplicate only', async () => {
    await add('chain', chain);
    await dedup('chain');
    expect(await staying('chain')).toEqual(['/a', '/c']);
  });

  it.each([
    ['0', ['/a', '/b', '/c']],
    ['2', ['/a', '/b', '/c']],
    ['3', ['/a', '/c']],
    ['6', ['/a']],
  ])('with deduplication.simhash.distance %s keeps %j, also after another distance', async (distance, expected) => {
    await add(`d${distance}`, chain);
    await dedup(`d${distance}`, { 'deduplication.simhash.distance': '7' });
    await dedup(`d${distance}`, { 'deduplication.simhash.distance': distance });
    expect(await staying(`d${distance}`)).toEqual(expected);
  });

  it('compares a content by the best of its pages, also if no criterion tells these apart', async () => {
    await add('best', [
      { path: '/0', signature: '0000000000000001', score: 1 },
      { path: '/1', signature: '0000000000000000', score: 1 },
      { path: 's/2', signature: '0000000000000000', score: 1 },
    ]);
    await dedup('best', {}, { compareOrder: ['httpsOverHttp'] });
    expect(await staying('best')).toEqual(['/1', '/2']);
  });

  it('compares pages of one host only, with group host', async () => {
    await add('host', [chain[0]!, { ...chain[1]!, host: 'test.b' }, { ...chain[1]!, path: '/b2' }]);
    await dedup('host', { 'deduplication.group.mode': 'host' });
    expect(await staying('host')).toEqual(['/a', '/b']);
  });

  it('unmarks a page when the page it was near to has other content', async () => {
    await add('back', chain.slice(0, 2));
    await dedup('back');
    expect(await staying('back')).toEqual(['/a']);
    await add('back', [{ path: '/a', signature: 'ffff000000000000', score: 3 }]);
    await cycle.db.query(`insert into signature_due select id, now(), 'test.a', $1 from crawl where name = 'back'`, [
      zero,
    ]);
    const job = await dedup('back');
    expect(counter(job, 'DeduplicationJobStatus', 'Documents no longer marked as duplicate')).toBe(1);
    expect(await staying('back')).toEqual(['/a', '/b']);
  });

  it('unmarks a page when the best of several equal pages changes and the remaining ones are worse', async () => {
    const [best, near] = [chain[0]!, chain[1]!];
    await add('worse', [best, { ...best, path: '/a2', score: 1 }, near]);
    await dedup('worse');
    expect(await staying('worse')).toEqual(['/a']);
    await add('worse', [{ ...best, signature: 'ffff000000000000' }]);
    await cycle.db.query(`insert into signature_due select id, now(), 'test.a', $1 from crawl where name = 'worse'`, [
      zero,
    ]);
    await dedup('worse');
    expect(await staying('worse')).toEqual(['/a', '/b']);
  });

  it('marks a page when a better one is added, and decides again about pages near to it', async () => {
    await add('later', chain.slice(1));
    await dedup('later');
    expect(await staying('later')).toEqual(['/b']);
    await add('later', [chain[0]!]);
    await dedup('later');
    expect(await staying('later')).toEqual(['/a', '/c']);
  });

  it('marks a new page after a DEDUP with another distance failed half-way', async () => {
    await add('cut', chain.slice(0, 1));
    await dedup('cut');
    let writes = 0;
    armFaultPoints((point) => {
      // After those of the plan and of the start.
      if (point === 'dedup.locked' && ++writes === 3) throw new Error('a write fails');
    });
    try {
      expect((await dedup('cut', { 'deduplication.simhash.distance': '2' })).state).toBe('FAILED');
    } finally {
      armFaultPoints(undefined);
    }
    await add('cut', chain.slice(1, 2));
    await dedup('cut');
    expect(await staying('cut')).toEqual(['/a']);
  });

  it('does not mark a page that is in a batch', async () => {
    await add('busy', chain.slice(0, 2));
    await cycle.db.query(
      `update webpage set generate_mark = 'x' where key like '%/b' and crawl = (select id from crawl where name = 'busy')`,
    );
    await dedup('busy');
    expect(await staying('busy')).toEqual(['/a', '/b']);
    await cycle.db.query(
      `update webpage set generate_mark = null where crawl = (select id from crawl where name = 'busy')`,
    );
  });

  it('keeps one page of equal and near duplicates together', async () => {
    await add('equal', [
      chain[0]!,
      { ...chain[0]!, path: '/a2', score: 1 },
      chain[1]!,
      { ...chain[1]!, path: '/b2', score: 9 },
    ]);
    await dedup('equal');
    expect(await staying('equal')).toEqual(['/b2']);
  });

  it.each([1, 3, 5, 7])(
    'keeps the pages that the rule without an index keeps, in one run or in several (distance %i)',
    async (distance) => {
      const contents = clusters(distance, 600);
      const conf = { 'deduplication.simhash.distance': String(distance) };
      const id = `many${distance}`;
      for (let from = 0; from < contents.length; from += 200) {
        await add(id, contents.slice(from, from + 200));
        await dedup(id, conf);
        expect((await staying(id)).sort()).toEqual(naive(contents.slice(0, from + 200), distance));
      }
      await add(`once${id}`, contents);
      await dedup(`once${id}`, conf);
      expect((await staying(`once${id}`)).sort()).toEqual(naive(contents, distance));
      expect(counter(await dedup(id, conf), 'DeduplicationJobStatus', 'Documents marked as duplicate')).toBe(0);
    },
  );

  it('keeps the same pages when it is killed after every two writes', async () => {
    const contents = clusters(11, 300);
    await add('killed', contents);
    const [{ id }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'killed'`)) as [
      { id: number },
    ];
    const { attempts } = await runKilled(new DedupJob(), { pool: cycle.pool, crawl: id, args: {}, writes: 2 });
    expect(attempts).toBeGreaterThan(1);
    expect((await staying('killed')).sort()).toEqual(naive(contents, 3));
  });

  it('works on the signatures of a crawl with SimHashSignature', async () => {
    const words = Array.from({ length: 400 }, (_, i) => `word${(i * 7919) % 1009}`);
    const site = await crawler.site({
      '/1': page(words.join(' ')),
      '/2': page(words.with(200, 'changed').join(' ')),
      '/3': page(words.toReversed().join(' ')),
    });
    await crawler.inject(
      'crawl',
      ['/1', '/2', '/3'].map((path, i) => `${site.url}${path}\tnutch.score=${3 - i}`),
    );
    const conf = { 'db.signature.class': 'SimHashSignature', 'deduplication.simhash.distance': '7' };
    await crawler.round('crawl', conf);
    expect((await pages(cycle, 'crawl')).every(({ signature }) => signature?.length === 16)).toBe(true);
    await dedup('crawl', conf);
    expect(await staying('crawl')).toEqual(['/1', '/3']);
  });
});
