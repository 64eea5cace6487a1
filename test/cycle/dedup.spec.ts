import { afterEach, describe, expect, it } from 'vitest';
import { armFaultPoints } from '../../src/db/fault-point.js';
import { type Handler, page } from '../support/site.js';
import { DedupJob } from '../../src/cycle/dedup/dedup.job.js';
import { crawler, cycle, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { byPath, counter, pages, passDays } from './table.js';

useCrawler();

const dedup = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  cycle.run('DEDUP', args, { crawlId, conf });
const marked = 'Documents marked as duplicate';
const unmarked = 'Documents no longer marked as duplicate';
const numberOf = (job: Awaited<ReturnType<typeof dedup>>, name = marked) =>
  counter(job, 'DeduplicationJobStatus', name);
const statuses = (crawlId: string) => byPath(cycle, ({ status }) => status, crawlId);

const same = page('the same words');

/** Crawls these paths of one site, with their scores. */
async function crawled(crawlId: string, scores: Record<string, number>, handlers: Record<string, Handler> = {}) {
  const paths = Object.keys(scores);
  const site = await crawler.site({ ...Object.fromEntries(paths.map((path) => [path, same])), ...handlers });
  await crawler.inject(
    crawlId,
    paths.map((path) => `${site.url}${path}\tnutch.score=${scores[path]}`),
  );
  await crawler.round(crawlId);
  return site;
}

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
const kept = async (crawlId: string) =>
  (await pages(cycle, crawlId)).filter(({ status }) => status !== 7).map(({ key }) => key);

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

  it('has nothing to do the second time', async () => {
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
      'where the property says',
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

  it('leaves pages alone that no criterion distinguishes', async () => {
    await filled('ties', [{ key: 'com.a:http/1' }, { key: 'com.a:http/2' }, { key: 'com.a:http/333' }]);
    expect(numberOf(await dedup('ties', { compareOrder: 'score,urlLength' }))).toBe(1);
    expect(await kept('ties')).toEqual(['com.a:http/1', 'com.a:http/2']);
  });

  it('looks at pages fetched or not modified, and at no others', async () => {
    await filled('others', [
      { key: 'com.a:http/1', score: 1, status: 6 },
      { key: 'com.a:http/2', score: 2, status: 2 },
      { key: 'com.a:http/3', score: 3, status: 3 },
    ]);
    await dedup('others');
    expect(Object.values(await statuses('others'))).toEqual([7, 2, 3]);
  });

  it('looks at all pages again when the rules have changed', async () => {
    await filled('rules', [{ key: 'com.a:http/1' }, { key: 'com.b:http/22' }, { key: 'com.b:http/333' }]);
    expect(numberOf(await dedup('rules', { group: 'host' }))).toBe(1);
    expect(numberOf(await dedup('rules', { group: 'none' }))).toBe(1);
    expect(await kept('rules')).toEqual(['com.a:http/1']);
    const back = await dedup('rules', { group: 'host' });
    expect([numberOf(back), numberOf(back, unmarked)]).toEqual([0, 1]);
    expect(await kept('rules')).toEqual(['com.a:http/1', 'com.b:http/22']);
  });

  describe('looks at all pages again after PARSE of -reparse', () => {
    /** Pages that differ by the signature of a round, but not by the one with which they are parsed again. */
    async function differing(crawlId: string, n: number): Promise<void> {
      const paths = Array.from({ length: n }, (_, i) => `/${i + 10}`);
      const handlers = paths.map((path) => [path, page(`<!-- ${path} -->the same words`)] as const);
      await crawled(crawlId, Object.fromEntries(paths.map((path) => [path, 1])), Object.fromEntries(handlers));
    }
    const reparse = (crawlId: string) =>
      cycle.run('PARSE', { batch: '-reparse' }, { crawlId, conf: { 'db.signature.class': 'TextProfileSignature' } });
    afterEach(() => armFaultPoints(undefined));

    it('also where that did not come to its end', async () => {
      await differing('failed', 80);
      expect(numberOf(await dedup('failed'))).toBe(0);
      let windows = 0;
      armFaultPoints((point) => {
        if (point === 'parse.read' && ++windows === 2) throw new Error('the second window fails');
      });
      expect((await reparse('failed')).state).toBe('FAILED');
      expect(numberOf(await dedup('failed'))).toBe(63);
    });

    it('also where DEDUP had looked at them all but for its last word', async () => {
      await differing('meanwhile', 3);
      let writes = 0;
      armFaultPoints(async (point) => {
        // Behind those of the plan, of the beginning and of the one window.
        if (point === 'dedup.held' && ++writes === 4) expect((await reparse('meanwhile')).state).toBe('FINISHED');
      });
      expect(numberOf(await dedup('meanwhile'))).toBe(0);
      armFaultPoints(undefined);
      expect(numberOf(await dedup('meanwhile'))).toBe(2);
    });
  });

  describe('of pages that are fetched again', () => {
    it('marks a duplicate again whose twin is still there', async () => {
      await crawled('again', { '/a': 1, '/best': 3 });
      await dedup('again');
      await passDays(cycle, 31, 'again');
      expect(await crawler.round('again')).toBe(2);
      expect(await statuses('again')).toEqual({ '/a': 6, '/best': 6 });
      expect(numberOf(await dedup('again'))).toBe(1);
      expect(await statuses('again')).toEqual({ '/a': 7, '/best': 6 });
    });

    it.each<[string, Handler, number, Record<string, string>]>([
      ['has changed', page('new words'), 2, {}],
      ['is gone', (_, response) => void response.writeHead(404).end(), 3, {}],
      ['moved', (_, response) => void response.writeHead(301, { location: '/b' }).end(), 5, {}],
      [
        'is gone and was removed',
        (_, response) => void response.writeHead(404).end(),
        0,
        { 'db.update.purge.404': 'true' },
      ],
    ])('gives the best of the duplicates back when their twin %s', async (name, after, status, conf) => {
      const crawlId = `back-${name.replaceAll(' ', '-')}`;
      let changed = false;
      await crawled(
        crawlId,
        { '/a': 1, '/b': 2, '/best': 3 },
        { '/best': (request, response) => (changed ? after : same)(request, response) },
      );
      await dedup(crawlId);
      expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 7, '/best': 2 });
      changed = true;
      await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour' where key like '%/best'`);
      expect(await crawler.round(crawlId, conf)).toBe(1);
      const job = await dedup(crawlId);
      expect([numberOf(job), numberOf(job, unmarked)]).toEqual([0, 1]);
      expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 2, ...(status === 0 ? {} : { '/best': status }) });
    });

    it.each([
      ['gone', 31, 3],
      ['an orphan', 41, 8],
    ])('gives it back when their twin becomes %s: %i days without a link', async (_, days, status) => {
      const crawlId = `unlinked-${days}`;
      await crawled(crawlId, { '/a': 1, '/b': 2, '/best': 3 });
      await dedup(crawlId);
      await cycle.db.query(
        `update webpage set last_inlink = now() - make_interval(days => $1)
          where key like '%/best' and crawl = (select id from crawl where name = $2)`,
        [days, crawlId],
      );
      await crawler.update(
        crawlId,
        {},
        { 'plugin.includes': 'protocol-http|urlfilter-regex|parse-html|scoring-orphan' },
      );
      expect(numberOf(await dedup(crawlId), unmarked)).toBe(1);
      expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 2, '/best': status });
    });

    it.each([
      ['starts it anew', 'overwrite', '', 1],
      ['gives it another status', 'update', '\tnutch.status=db_gone', 3],
    ])('gives it back when INJECT %s', async (_, mode, more, status) => {
      const crawlId = `injected-${mode}`;
      const site = await crawled(crawlId, { '/a': 1, '/b': 2, '/best': 3 });
      await dedup(crawlId);
      await cycle.inject([`${site.url}/best${more}`], { [mode]: true }, { crawlId });
      expect(numberOf(await dedup(crawlId), unmarked)).toBe(1);
      expect(await statuses(crawlId)).toEqual({ '/a': 7, '/b': 2, '/best': status });
    });

    it('keeps duplicates in the schedule', async () => {
      await crawled('schedule', { '/a': 1, '/best': 3 });
      const before = await byPath(
        cycle,
        ({ fetch_time, fetch_interval, rank }) => ({ fetch_time, fetch_interval, rank }),
        'schedule',
      );
      await dedup('schedule');
      expect(
        await byPath(
          cycle,
          ({ fetch_time, fetch_interval, rank }) => ({ fetch_time, fetch_interval, rank }),
          'schedule',
        ),
      ).toEqual(before);
      const batch = await cycle.run('GENERATE', { adddays: 31 }, { crawlId: 'schedule' });
      expect(batch.result?.['generate.count']).toBe(2);
      const update = await crawler.update('schedule');
      expect(update.state).toBe('FINISHED');
    });
  });

  it('does not touch pages in a batch, but lets them win', async () => {
    await crawled('busy', { '/a': 1, '/best': 3 });
    await cycle.run('GENERATE', { adddays: 31 }, { crawlId: 'busy' });
    expect(numberOf(await dedup('busy'))).toBe(0);
    expect(await statuses('busy')).toEqual({ '/a': 2, '/best': 2 });
    await crawler.update('busy', { batch: (await pages(cycle, 'busy'))[0]!.generate_mark });
    expect(numberOf(await dedup('busy'))).toBe(1);
    expect(await statuses('busy')).toEqual({ '/a': 7, '/best': 2 });
  });

  it.each([
    ['marked', 'taken', { '/a': 2, '/best': 2 }, { '/a': 7, '/best': 2 }, async () => undefined],
    [
      'given back',
      'given-back',
      { '/a': 7, '/best': 5 },
      { '/a': 2, '/best': 5 },
      async (crawlId: string) => {
        await dedup(crawlId);
        await cycle.db.query(
          `with lost as (update webpage w set status = 5 from crawl c
                          where c.id = w.crawl and c.name = $1 and w.key like '%/best' returning w.crawl, w.host, w.signature),
                counted as (update host h set n_fetched = n_fetched - 1, n_redir_perm = n_redir_perm + 1
                              from lost where h.crawl = lost.crawl and h.host = lost.host)
           insert into signature_due select crawl, now(), host, signature from lost`,
          [crawlId],
        );
      },
    ],
  ])('leaves a page alone that goes into a batch before it is %s', async (_, crawlId, untouched, looked, prepare) => {
    await crawled(crawlId, { '/a': 1, '/best': 3 });
    await prepare(crawlId);
    const mark = (batch: string | null) =>
      cycle.db.query(
        `update webpage w set generate_mark = $2, batch_id = $2 from crawl c
            where c.id = w.crawl and c.name = $1 and w.key like '%/a'`,
        [crawlId, batch],
      );
    let writes = 0;
    armFaultPoints(async (point) => {
      // Behind that of the plan, and where all contents are looked at that of the beginning: the one of the first pages.
      if (point === 'dedup.held' && ++writes === (crawlId === 'taken' ? 3 : 2)) await mark('b1');
    });
    const job = await dedup(crawlId);
    armFaultPoints(undefined);
    expect([job.state, numberOf(job), numberOf(job, unmarked)]).toEqual(['FINISHED', 0, 0]);
    expect(await statuses(crawlId)).toEqual(untouched);
    // Its batch notes the content again.
    await mark(null);
    await cycle.db.query(
      `insert into signature_due select distinct crawl, now(), host, signature from webpage w join crawl c on c.id = w.crawl
          where c.name = $1 and signature is not null on conflict do nothing`,
      [crawlId],
    );
    await dedup(crawlId);
    expect(await statuses(crawlId)).toEqual(looked);
  });

  it('leaves a page alone whose content changes before it is marked', async () => {
    await crawled('changed', { '/a': 1, '/best': 3 });
    let writes = 0;
    armFaultPoints(async (point) => {
      // Behind those of the plan and of the beginning.
      if (point !== 'dedup.held' || ++writes !== 3) return;
      await cycle.db.query(
        `update webpage w set signature = 'another' from crawl c where c.id = w.crawl and c.name = 'changed' and w.key like '%/a'`,
      );
    });
    const job = await dedup('changed');
    armFaultPoints(undefined);
    expect([writes >= 3, job.state, numberOf(job)]).toEqual([true, 'FINISHED', 0]);
    expect(await statuses('changed')).toEqual({ '/a': 2, '/best': 2 });
  });

  it('does not see another crawl', async () => {
    await crawled('here', { '/a': 1, '/b': 2 });
    await crawled('there', { '/a': 1, '/b': 2 });
    await dedup('here');
    expect(await statuses('here')).toEqual({ '/a': 7, '/b': 2 });
    expect(await statuses('there')).toEqual({ '/a': 2, '/b': 2 });
  });

  it('works through a content on ten thousand pages, and looks at few of them later', async () => {
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

  it.each([1, 2, 3])('killed after every %i writes ends with the same table', async (writes) => {
    const crawlId = `killed${writes}`;
    await crawler.inject(crawlId, []);
    const [{ id }] = (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId])) as [
      { id: number },
    ];
    await cycle.db.query(
      `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, signature)
       select $1, 'test.h' || i % 9, 'test.h' || i % 9 || ':http/' || i, '2027-01-01', 1, i, 0, 2 + 4 * (i % 2), 'link', 's' || i % 3000
         from generate_series(1, 9000) i`,
      [id],
    );
    await cycle.db.query(
      `insert into host (crawl, host, domain, n_fetched, n_notmodified)
       select crawl, host, host, count(*) filter (where status = 2), count(*) filter (where status = 6) from webpage where crawl = $1 group by 1, 2`,
      [id],
    );
    await cycle.db.query(
      'insert into signature_due select distinct crawl, now(), host, signature from webpage where crawl = $1',
      [id],
    );
    const what = { pool: cycle.pool, crawl: id, args: {}, writes };
    const { attempts, counted } = await runKilled(new DedupJob(), what);
    expect(attempts).toBeGreaterThan(1);
    expect(counted).toMatchObject({ [marked]: 6_000 });
    const left = await kept(crawlId);
    expect(left).toHaveLength(3_000);
    expect(left.every((key) => Number(/\d+$/.exec(key)![0]) > 6_000)).toBe(true);
    expect(await cycle.db.query('select from signature_due where crawl = $1', [id])).toEqual([]);
  });
});
