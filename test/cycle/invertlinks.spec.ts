import { beforeAll, describe, expect, it } from 'vitest';
import { incompressible } from '../support/incompressible.js';
import { page } from '../support/site.js';
import { InvertLinksJob } from '../../src/cycle/invertlinks/invertlinks.job.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { runKilled } from './interrupted.js';
import { runMeeting } from './meeting.js';
import { counter, counters } from './table.js';

useCrawler({ uncounted: true });

/** UPDATEDB stores no inlinks. */
const none = { 'db.update.max.inlinks': '0' };

interface Inlink {
  target: string;
  source: string;
  anchor: string;
  score: number;
}

/** The inlinks of a crawl in key order: target, path of the source, anchor. */
const inlinks = (crawlId: string) =>
  cycle.db.query<Inlink & { [name: string]: unknown }>(
    `select key as target, substring(source from '/.*') as source, anchor, score from inlink i
       join crawl c on c.id = i.crawl where c.name = $1 order by 1, 2`,
    [crawlId],
  );
const pairs = async (crawlId: string) => (await inlinks(crawlId)).map(({ target, source }) => `${target} < ${source}`);

const invert = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  cycle.run('INVERTLINKS', args, { crawlId, conf });

/** A crawled home page with one link to its own host and two to others. */
async function crawled(crawlId: string, conf: Record<string, string> = none): Promise<string> {
  const site = await crawler.site({
    '/': page(
      `<a href="http://www.ansamed.test/">Mediterraneo</a> <a href="/in">inside</a> <a href="http://other.test/x-1">${'long '.repeat(30)}</a>`,
    ),
  });
  await crawler.inject(crawlId, [`${site.url}/`]);
  const batch = await crawler.untilParsed(crawlId);
  await crawler.update(crawlId, {}, conf);
  return batch;
}

describe('INVERTLINKS', () => {
  it('stores links between hosts as inlinks of their targets, with anchors', async () => {
    await crawled('plain');
    const job = await invert('plain');
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
    expect(counters(job, 'LinkDb')).toMatchObject({ pages: 1, links: 3, inlinks_added: 2 });
    expect((await inlinks('plain')).map(({ target, source, anchor }) => [target, source, anchor.slice(0, 12)])).toEqual(
      [
        ['test.ansamed.www:http/', '/', 'Mediterraneo'],
        ['test.other:http/x-1', '/', 'long long lo'],
      ],
    );
  });

  it.each<[string, Record<string, string>, string[]]>([
    [
      'internal and external links',
      { 'linkdb.ignore.internal.links': 'false' },
      ['127.0.0.1:http:PORT/in < /', 'test.ansamed.www:http/ < /', 'test.other:http/x-1 < /'],
    ],
    [
      'internal links only',
      { 'linkdb.ignore.internal.links': 'false', 'linkdb.ignore.external.links': 'true' },
      ['127.0.0.1:http:PORT/in < /'],
    ],
    ['no links when both kinds are ignored', { 'linkdb.ignore.external.links': 'true' }, []],
  ])('stores %s by linkdb.ignore.internal.links and .external.links', async (name, conf, expected) => {
    await crawled(name.replaceAll(' ', '-'));
    await invert(name.replaceAll(' ', '-'), {}, conf);
    const found = await pairs(name.replaceAll(' ', '-'));
    expect(found.map((pair) => pair.replace(/^(127\.0\.0\.1:http):\d+/, '$1:PORT'))).toEqual(expected);
  });

  it('cuts anchors at linkdb.max.anchor.length, and a later run replaces them', async () => {
    await crawled('anchors');
    await invert('anchors', {}, { 'linkdb.max.anchor.length': '7' });
    expect((await inlinks('anchors')).map(({ anchor }) => anchor)).toEqual(['Mediter', 'long lo']);
    await invert('anchors');
    expect((await inlinks('anchors')).map(({ anchor }) => anchor.length)).toEqual([12, 99]);
  });

  it.each<[string, Record<string, unknown>, Record<string, string>, string[]]>([
    ['applies URL filters to links', {}, { 'urlfilter.regex.rules': '-other\n+.' }, ['test.ansamed.www:http/ < /']],
    [
      'keeps a filtered link with noFilter (1.x sends a string)',
      { noFilter: 'true' },
      { 'urlfilter.regex.rules': '-other\n+.' },
      ['test.ansamed.www:http/ < /', 'test.other:http/x-1 < /'],
    ],
    ['ignores the links of a filtered page', {}, { 'urlfilter.regex.rules': '-127\n+.' }, []],
    [
      'normalizes links in scope linkdb',
      {},
      {
        'urlnormalizer.scope.linkdb': 'urlnormalizer-regex',
        'urlnormalizer.regex.rules.linkdb':
          '<regex-normalize><regex><pattern>-\\d</pattern><substitution></substitution></regex></regex-normalize>',
      },
      ['test.ansamed.www:http/ < /', 'test.other:http/x < /'],
    ],
  ])('%s', async (name, args, conf, expected) => {
    const crawlId = name.replaceAll(/[^a-zA-Z]+/g, '-');
    await crawled(crawlId);
    await invert(crawlId, args, conf);
    expect(await pairs(crawlId)).toEqual(expected);
  });

  it('changes nothing the second time, nor the inlinks that UPDATEDB stored', async () => {
    await crawled('twice', {});
    const before = await inlinks('twice');
    expect(before).toHaveLength(2);
    for (let run = 0; run < 2; run++) {
      const job = await invert('twice');
      expect(counters(job, 'LinkDb')).toMatchObject({ links: 3, inlinks_added: 0, inlinks_changed: 0 });
      expect(await inlinks('twice')).toEqual(before);
    }
  });

  it('stores the links of a page whose score is too small to be divided, with a score of 0', async () => {
    await crawled('deep');
    await cycle.db.query(
      `update webpage set score = 5e-324 where status = 2 and crawl = (select id from crawl where name = 'deep')`,
    );
    expect(await invert('deep')).toMatchObject({ state: 'FINISHED' });
    expect((await inlinks('deep')).map(({ score }) => score)).toEqual([0, 0]);
  });

  it('removes inlinks of links that are gone of many pages, whose own URLs the rules rewrite', async () => {
    await crawler.inject('rewritten', []);
    const [{ id: crawl }] = (await cycle.db.query<{ id: number }>(`select id from crawl where name = 'rewritten'`)) as [
      { id: number },
    ];
    const pages = `(select 'test.a:http/p' || n || '-x' as key from generate_series(1, 300) n) page`;
    await cycle.db.query(
      `insert into webpage (crawl, host, key, status, parse_major, parse_minor, update_mark, fetch_time, fetch_interval, score, cash, source_kind)
       select $1, 'test.a', key, 2, 1, 0, 'b', now(), 1, 1, 1, 'link' from ${pages}`,
      [crawl],
    );
    await cycle.db.query(
      `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors, former_outlink_keys)
       select $1, 'test.a', key, '{test.two:http/}', '{two}', '{test.one:http/}' from ${pages}`,
      [crawl],
    );
    await cycle.db.query(
      `insert into inlink (crawl, host, key, source, score) select $1, 'test.one', 'test.one:http/', key, 0 from ${pages}`,
      [crawl],
    );
    const conf = {
      'urlnormalizer.scope.linkdb': 'urlnormalizer-regex',
      'urlnormalizer.regex.rules.linkdb':
        '<regex-normalize><regex><pattern>-x</pattern><substitution></substitution></regex></regex-normalize>',
    };
    const job = await invert('rewritten', { batch: '-all' }, conf);
    expect(counter(job, 'LinkDb', 'inlinks_removed')).toBe(300);
    expect((await inlinks('rewritten')).map(({ target }) => target)).toEqual(Array(300).fill('test.two:http/'));
  });

  it('skips a link whose two keys are too long for one index entry', async () => {
    const [source, long] = ['source', 'target'].map((name) => `/${incompressible(name, 1_500)}`) as [string, string];
    const site = await crawler.site({ [source]: links(`http://other.test${long}`, 'http://other.test/') });
    await crawler.inject('long', [site.url + source]);
    await crawler.update('long', { batch: await crawler.untilParsed('long') }, none);
    expect(await invert('long')).toMatchObject({ state: 'FINISHED' });
    expect(await pairs('long')).toEqual([`test.other:http/ < ${source}`]);
  });

  it('processes a batch before UPDATEDB', async () => {
    const site = await crawler.site({ '/': links('http://other.test/') });
    await crawler.inject('open', [`${site.url}/`]);
    const batch = await crawler.untilParsed('open');
    expect(counter(await invert('open', { batch }), 'LinkDb', 'inlinks_added')).toBe(1);
  });

  it.each([{ batch: '-all' }, {}, { batch: 'late2' }])(
    '%j: pages that were parsed after their UPDATEDB, too',
    async (args) => {
      const crawlId = `late${Object.keys(args).length === 0 ? 1 : args.batch === '-all' ? 0 : 2}`;
      const site = await crawler.site({ '/': links('http://other.test/') });
      await crawler.inject(crawlId, [`${site.url}/`]);
      await cycle.run('GENERATE', { batch: crawlId }, { crawlId });
      await cycle.run('FETCH', { batch: '-all' }, { crawlId });
      await crawler.update(crawlId);
      await cycle.run('PARSE', { batch: '-reparse' }, { crawlId });
      expect(counter(await invert(crawlId, args), 'LinkDb', 'pages')).toBe(1);
      expect(await pairs(crawlId)).toEqual(['test.other:http/ < /']);
    },
  );

  it('keeps the linkdb.max.inlinks best inlinks of a page', async () => {
    const site = await crawler.site({
      '/a': links('http://other.test/'),
      '/b': links('http://other.test/', 'http://third.test/'),
      '/c': links('http://other.test/'),
    });
    await crawler.inject('best', [
      `${site.url}/a\tnutch.score=1`,
      `${site.url}/b\tnutch.score=9`,
      `${site.url}/c\tnutch.score=2`,
    ]);
    await crawler.untilParsed('best');
    await crawler.update('best', {}, none);
    for (let run = 0; run < 2; run++) {
      await invert('best', {}, { 'linkdb.max.inlinks': '2' });
      expect(await pairs('best')).toEqual(['test.other:http/ < /b', 'test.other:http/ < /c', 'test.third:http/ < /b']);
    }
  });

  it('deletes inlinks of UPDATEDB beyond linkdb.max.inlinks', async () => {
    const site = await crawler.site(
      Object.fromEntries(['/a', '/b', '/c'].map((path) => [path, links('http://other.test/')])),
    );
    await crawler.inject('stored', [`${site.url}/a`, `${site.url}/b\tnutch.score=9`, `${site.url}/c\tnutch.score=2`]);
    await crawler.untilParsed('stored');
    await crawler.update('stored');
    expect(await inlinks('stored')).toHaveLength(3);
    const job = await invert('stored', {}, { 'linkdb.max.inlinks': '2' });
    expect(await pairs('stored')).toEqual(['test.other:http/ < /b', 'test.other:http/ < /c']);
    expect(counters(job, 'LinkDb')).toMatchObject({ inlinks_added: 0, inlinks_dropped: 1 });
  });

  describe('selects', () => {
    let first: string;
    let second: string;

    beforeAll(async () => {
      const site = await crawler.site({ '/': links('/next', 'http://one.test/'), '/next': links('http://two.test/') });
      await crawler.inject('rounds', [`${site.url}/`]);
      const only = { ...none, 'generate.max.distance': '-1', 'urlfilter.regex.rules': '-test/\n+.' };
      const wide = { 'urlfilter.regex.rules': '+.' };
      first = await crawler.untilParsed('rounds', wide);
      await crawler.update('rounds', { filter: true }, only);
      second = await crawler.untilParsed('rounds', wide);
      await crawler.update('rounds', { filter: true }, only);
    });

    it.each<[string, () => Record<string, unknown>, string[]]>([
      ['the newest batch when none is named', () => ({}), ['two']],
      ['a batch by id', () => ({ batch: first }), ['one']],
      ['a segment as a string', () => ({ segment: first }), ['one']],
      ['segments as an array (1.x)', () => ({ segment: [first, second], linkdb: 'rounds/linkdb' }), ['one', 'two']],
      ['a folder of segments (1.x)', () => ({ segment_dir: 'rounds/segments' }), ['one', 'two']],
      ['a folder of segments as the wiki spells it', () => ({ segments_dir: 'rounds/segments' }), ['one', 'two']],
      ['a folder of segments as the command line names it (G3)', () => ({ dir: 'rounds/segments' }), ['one', 'two']],
      ['every batch with -all', () => ({ batch: '-all' }), ['one', 'two']],
    ])('%s', async (_, args, expected) => {
      await cycle.db.query(`delete from inlink where crawl = (select id from crawl where name = 'rounds')`);
      await invert('rounds', args());
      expect((await inlinks('rounds')).map(({ target }) => /^test\.(\w+)/.exec(target)?.[1])).toEqual(expected);
    });

    it('no unknown batch: the job fails and names it', async () => {
      const job = await invert('rounds', { batch: 'none-such' });
      expect([job.state, job.msg]).toEqual(['FAILED', expect.stringContaining('"none-such"')]);
    });
  });

  it('does not process another crawl', async () => {
    await crawled('here');
    await crawled('there');
    await invert('here');
    expect(await inlinks('here')).toHaveLength(2);
    expect(await inlinks('there')).toEqual([]);
  });

  describe('of a batch of 12,000 pages', () => {
    const large = async (crawlId: string): Promise<number> => {
      await crawler.inject(crawlId, []);
      const [{ id }] = (await cycle.db.query<{ id: number }>('select id from crawl where name = $1', [crawlId])) as [
        { id: number },
      ];
      await cycle.db.query(
        `insert into webpage (crawl, host, key, fetch_time, fetch_interval, score, cash, status, source_kind, update_mark)
         select $1, 'test.h' || i % 50, 'test.h' || i % 50 || ':http/' || i, now() + interval '1 day', 1, 1, 0, 2, 'link', 'big'
           from generate_series(1, 12000) i`,
        [id],
      );
      await cycle.db.query(
        `insert into page_content (crawl, host, key, outlink_keys, outlink_anchors)
         select crawl, host, key, array['org.target:http/' || hashtext(key) % 100], array['a'] from webpage where crawl = $1`,
        [id],
      );
      return id;
    };

    it('is divided among workers', async () => {
      await large('large');
      const job = await cycle.run('INVERTLINKS', { batch: 'big' }, { crawlId: 'large', workers: 3 });
      expect(counters(job, 'LinkDb')).toMatchObject({ pages: 12_000, links: 12_000, inlinks_added: 12_000 });
      const tasks = await cycle.db.query<{ counters: { LinkDb: { pages: number } } }>(
        'select counters from job_task where job = $1',
        [job.id],
      );
      expect(tasks).toHaveLength(3);
      for (const task of tasks) expect(task.counters.LinkDb.pages).toBeGreaterThan(3_000);
    });

    it.each([false, true])(
      'keeps linkdb.max.inlinks when parts add inlinks to the same page at once (inlinks stored before: %s)',
      async (known) => {
        const crawl = await large(`meeting-${known}`);
        await cycle.db.query(
          `update page_content set outlink_keys = array['org.target:http/1', 'org.target:http/2'], outlink_anchors = array['a', 'b'] where crawl = $1`,
          [crawl],
        );
        // Leaves one chunk for each partition.
        await cycle.db.query(`delete from webpage where crawl = $1 and hashtext(key) % 100 <> 0`, [crawl]);
        const what = { pool: cycle.pool, crawl, args: {}, plan: { parts: 3, batches: ['big'] } };
        if (known) await runMeeting(() => new InvertLinksJob(), what);
        await runMeeting(() => new InvertLinksJob(), { ...what, conf: { 'linkdb.max.inlinks': 2 } });
        const targets = (await inlinks(`meeting-${known}`)).map(({ target }) => target.slice(-1));
        expect(targets).toEqual(['1', '1', '2', '2']);
      },
    );

    it.each(['big', '-all'])('continues %s after each kill and processes no page twice', async (batch) => {
      const crawl = await large(`killed${batch}`);
      const what = { pool: cycle.pool, crawl, args: { batch }, writes: 11 };
      const { attempts, counted } = await runKilled(new InvertLinksJob(), what);
      expect(attempts).toBe(3);
      expect(counted).toMatchObject({ pages: 12_000, links: 12_000, inlinks_added: 12_000 });
      expect(await inlinks(`killed${batch}`)).toHaveLength(12_000);
    });

    it('continues within the batch after each kill and processes all pages of the next batch', async () => {
      const crawl = await large('killed-in-one');
      await cycle.db.query(
        `update webpage set update_mark = 'later' where crawl = $1 and right(key, 1) in ('0', '2', '4')`,
        [crawl],
      );
      const what = { pool: cycle.pool, crawl, args: { segment: ['big', 'later'] }, writes: 5 };
      const { attempts, counted } = await runKilled(new InvertLinksJob(), what);
      expect(attempts).toBeGreaterThan(2);
      expect(counted).toMatchObject({ pages: 12_000, links: 12_000, inlinks_added: 12_000 });
    });
  });
});
