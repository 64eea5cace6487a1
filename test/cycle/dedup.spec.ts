import { describe, expect, it } from 'vitest';
import { eachEqualPage } from '../../src/cycle/dedup/dedup.sql.js';
import { page } from '../support/site.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { pages } from './table.js';
import { crawled, dedup, kept, numberOf, statuses, unmarked } from './duplicates.js';

/** DEDUP: which pages of equal content stay, and which are marked. */

useCrawler();

/** Writes fetched pages of equal content into the table, and what UPDATEDB notes of them. */
async function filled(
  crawlId: string,
  rows: { key: string; score?: number; due?: string; status?: number; signature?: string }[],
) {
  await crawler.inject(crawlId, []);
  const [{ id }] = (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId])) as [
    { id: number },
  ];
  for (const { key, score = 1, due = '2027-01-01', status = 2, signature = 'aa' } of rows) {
    const host = key.slice(0, key.indexOf(':'));
    await cycle.db.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, signature)
       values ($1, $2, $3, $4, 1, $5, 0, $6, 'link', $7)`,
      [id, host, key, due, score, status, signature],
    );
    await cycle.db.query(`insert into signature_due values ($1, now(), $2, $3) on conflict do nothing`, [
      id,
      host,
      signature,
    ]);
  }
  await cycle.db.query(
    `insert into host (crawl, host, domain, n_fetched, n_notmodified, n_duplicate, n_gone)
     select crawl, host, host, count(*) filter (where status = 2), count(*) filter (where status = 6),
            count(*) filter (where status = 7), count(*) filter (where status = 3) from webpage where crawl = $1 group by 1, 2`,
    [id],
  );
}

describe('DEDUP', () => {
  it('keeps the best of pages with equal content and marks the others', async () => {
    await crawled('plain', { '/a': 1, '/best': 3, '/c': 2, '/other': 1 }, { '/other': page('other words') });
    const job = await dedup('plain');
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
    expect(numberOf(job)).toBe(2);
    expect(await statuses('plain')).toEqual({ '/a': 7, '/best': 2, '/c': 7, '/other': 2 });
  });

  it('marks one of two pages that were fetched and written together', async () => {
    await crawled('pair', { '/1': 1, '/2': 1 });
    await cycle.db.query(
      `update webpage w set fetch_time = now() + interval '30 days' from crawl c where c.id = w.crawl and c.name = 'pair'`,
    );
    expect(numberOf(await dedup('pair'))).toBe(1);
    expect(await statuses('pair')).toEqual({ '/1': 2, '/2': 7 });
  });

  it('changes nothing the second time', async () => {
    await crawled('twice', { '/a': 1, '/b': 2 });
    expect(numberOf(await dedup('twice'))).toBe(1);
    const before = await pages(cycle, 'twice');
    const again = `insert into signature_due select crawl, now(), host, signature from webpage where signature is not null on conflict do nothing`;
    for (const noted of ['select 1', again]) {
      await cycle.db.query(noted);
      expect(numberOf(await dedup('twice'))).toBe(0);
      expect(await pages(cycle, 'twice')).toEqual(before);
    }
    expect(
      await cycle.db.query(`select d.* from signature_due d join crawl c on c.id = d.crawl where c.name = 'twice'`),
    ).toEqual([]);
  });

  it.each<[string, Record<string, unknown>, Record<string, string>, string[]]>([
    ['anywhere', {}, {}, ['com.b.www:http/1']],
    ['on one host', { group: 'host' }, {}, ['com.a:http/1', 'com.b.www:http/1', 'com.b:http/2']],
    ['in one domain', { group: 'domain' }, {}, ['com.a:http/1', 'com.b.www:http/1']],
    [
      'as the property sets it',
      {},
      { 'deduplication.group.mode': 'host' },
      ['com.a:http/1', 'com.b.www:http/1', 'com.b:http/2'],
    ],
  ])('finds duplicates %s', async (name, args, conf, expected) => {
    const crawlId = `group-${name.replaceAll(' ', '-')}`;
    await filled(crawlId, [
      { key: 'com.a:http/1', score: 2 },
      { key: 'com.a:http/2' },
      { key: 'com.b:http/2', score: 2 },
      { key: 'com.b:http/333' },
      { key: 'com.b.www:http/1', score: 3 },
    ]);
    await dedup(crawlId, args, conf);
    expect(await kept(crawlId)).toEqual(expected);
  });

  it.each<[string, unknown, Record<string, string>, string[]]>([
    ['by score, time, length', undefined, {}, ['com.a:http/long']],
    ['by length first, as an array', ['urlLength', 'score'], {}, ['com.a:http/b']],
    ['by time first, as text', 'fetchTime,score', {}, ['com.a:http/late']],
    ['https first', 'httpsOverHttp,score', {}, ['com.a:https/long']],
    ['by the property', undefined, { 'deduplication.compare.order': 'urlLength' }, ['com.a:http/b']],
  ])('compares %s', async (name, compareOrder, conf, expected) => {
    const crawlId = `order-${name.replaceAll(/[^a-z]+/g, '-')}`;
    await filled(crawlId, [
      { key: 'com.a:http/b', score: 1 },
      { key: 'com.a:http/late', score: 2, due: '2028-01-01' },
      { key: 'com.a:http/long', score: 9 },
      { key: 'com.a:https/long', score: 8 },
    ]);
    await dedup(crawlId, compareOrder === undefined ? {} : { compareOrder, crawldb: 'k/crawldb' }, conf);
    expect(await kept(crawlId)).toEqual(expected);
  });

  it('does not mark pages that no criterion distinguishes', async () => {
    await filled('ties', [{ key: 'com.a:http/1' }, { key: 'com.a:http/2' }, { key: 'com.a:http/333' }]);
    expect(numberOf(await dedup('ties', { compareOrder: 'score,urlLength' }))).toBe(1);
    expect(await kept('ties')).toEqual(['com.a:http/1', 'com.a:http/2']);
  });

  it('reads an https page directly before the http page that differs in nothing else', async () => {
    const keys = ['test.a:http/', 'test.a:http/https', 'test.a:http:81/', 'test.a:https/', 'test.a:https:81/'];
    await filled(
      'order',
      [...keys, 'test.a.b:http/'].map((key) => ({ key })),
    );
    const [{ id, hash }] = (await cycle.db.query<{ id: number; hash: number }>(
      `select id, hashtext('aa') as hash from crawl where name = 'order'`,
    )) as [{ id: number; hash: number }];
    const read: string[] = [];
    await eachEqualPage(cycle.pool, { crawl: id, hashes: [hash], duplicates: false }, (equalPages) => {
      read.push(...equalPages.map(({ key }) => key));
      return Promise.resolve();
    });
    expect(read).toHaveLength(6);
    for (const port of ['', ':81'])
      expect(read.indexOf(`test.a:http${port}/`) - read.indexOf(`test.a:https${port}/`)).toBe(1);
  });

  it('compares fetched and not modified pages only', async () => {
    await filled('others', [
      { key: 'com.a:http/1', score: 1, status: 6 },
      { key: 'com.a:http/2', score: 2, status: 2 },
      { key: 'com.a:http/3', score: 3, status: 3 },
    ]);
    await dedup('others');
    expect(Object.values(await statuses('others'))).toEqual([7, 2, 3]);
  });

  it('reads all pages again when the rules have changed', async () => {
    await filled('rules', [{ key: 'com.a:http/1' }, { key: 'com.b:http/22' }, { key: 'com.b:http/333' }]);
    expect(numberOf(await dedup('rules', { group: 'host' }))).toBe(1);
    expect(numberOf(await dedup('rules', { group: 'none' }))).toBe(1);
    expect(await kept('rules')).toEqual(['com.a:http/1']);
    const back = await dedup('rules', { group: 'host' });
    expect([numberOf(back), numberOf(back, unmarked)]).toEqual([0, 1]);
    expect(await kept('rules')).toEqual(['com.a:http/1', 'com.b:http/22']);
  });

  it('does not mark pages in a batch, and keeps them as the best', async () => {
    await crawled('busy', { '/a': 1, '/best': 3 });
    await cycle.run('GENERATE', { adddays: 31 }, { crawlId: 'busy' });
    expect(numberOf(await dedup('busy'))).toBe(0);
    expect(await statuses('busy')).toEqual({ '/a': 2, '/best': 2 });
    await crawler.update('busy', { batch: (await pages(cycle, 'busy'))[0]!.generate_mark });
    expect(numberOf(await dedup('busy'))).toBe(1);
    expect(await statuses('busy')).toEqual({ '/a': 7, '/best': 2 });
  });

  it('does not touch another crawl', async () => {
    await crawled('here', { '/a': 1, '/b': 2 });
    await crawled('there', { '/a': 1, '/b': 2 });
    await dedup('here');
    expect(await statuses('here')).toEqual({ '/a': 7, '/b': 2 });
    expect(await statuses('there')).toEqual({ '/a': 2, '/b': 2 });
  });

  it('marks all but one of ten thousand pages with one content', async () => {
    await crawler.inject('soft', []);
    const [{ id }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'soft'`)) as [
      { id: number },
    ];
    await cycle.db.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, signature)
       select $1, 'test.h' || i % 50, 'test.h' || i % 50 || ':http/' || i, now() + interval '1 day', 1, i % 977, 0, 2, 'link', 'soft404'
         from generate_series(1, 10000) i`,
      [id],
    );
    await cycle.db.query(
      `insert into host (crawl, host, domain, n_fetched) select crawl, host, host, count(*) from webpage where crawl = $1 group by 1, 2`,
      [id],
    );
    expect(numberOf(await dedup('soft'))).toBe(9_999);
    expect(await kept('soft')).toHaveLength(1);
  });
});
