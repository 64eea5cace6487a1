import { describe, expect, it } from 'vitest';
import { reverseUrl } from '../../src/core/url/row-key.js';
import type { JobRow } from '../../src/job/job-row.js';
import { page, redirect } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';
import { type Line, indexFiles, indexLines, useIndexFolder } from './index-files.js';
import { counters } from './table.js';

useCrawler();

const folder = useIndexFolder();

const jsonl = { 'plugin.includes.also': 'indexer-jsonl' };

const index = (crawlId: string, args: Record<string, unknown> = {}, conf: Record<string, string> = {}) =>
  cycle.run('INDEX', args, { crawlId, conf: { ...jsonl, ...conf } });
const documents = (job: JobRow): Promise<Line[]> => indexLines(folder.path, job);
const marks = (crawlId: string) =>
  cycle.db.query<{ path: string; mark: string | null }>(
    `select substring(key from '/.*') as path, index_mark as mark from webpage w join crawl c on c.id = w.crawl
      where c.name = $1 order by 1`,
    [crawlId],
  );
const events = async (job: JobRow): Promise<string[]> =>
  (
    await cycle.db.query<{ message: string }>(
      `select data->>'message' as message from job_event where job = $1 and kind = 'warning' order by id`,
      [job.id],
    )
  ).map(({ message }) => message);

describe('INDEX of a batch', () => {
  it('writes as tstamp when the last visit was due, if visits of then are not kept (fetch.history.months)', async () => {
    const dated = page('ferry', { 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' });
    const site = await crawler.site({ '/': dated, '/undated': page('boat') });
    await crawler.inject('old', [`${site.url}/`, `${site.url}/undated`]);
    await crawler.round('old');
    const crawl = "(select id from crawl where name = 'old')";
    await cycle.db.query(`delete from fetch_history where crawl = ${crawl}`);
    const due = await cycle.db.query<{ time: Date }>(
      `select prev_fetch_time as time from webpage where crawl = ${crawl} order by key`,
    );
    const written = await documents(await index('old', { batch: '-all' }));
    expect(written.map(({ tstamp }) => tstamp)).toEqual(due.map(({ time }) => time.toISOString()));
  });

  it('writes a document with all fields for each parsed page and marks the page', async () => {
    const site = await crawler.site({
      '/': page('<title>Home</title>the beginning <a href="/a">the word for it</a>'),
      '/a': page('<title>A page</title>something to find', { 'last-modified': 'Sun, 06 Nov 1994 08:49:37 GMT' }),
    });
    await crawler.inject('one', [`${site.url}/\tnutch.score=4`]);
    await crawler.round('one', { 'db.ignore.internal.links': 'false' });
    await crawler.round('one', { 'db.ignore.internal.links': 'false' });
    const job = await index('one', { batch: '-all' }, { 'plugin.includes.also': 'indexer-jsonl|index-more' });
    expect(job).toMatchObject({ state: 'FINISHED', result: { result: '0', reason: 'done' } });
    expect(counters(job, 'IndexerJob')).toEqual({ DocumentCount: 2 });
    expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 2 });
    const [home, a] = await documents(job);
    expect(home).toMatchObject({
      id: reverseUrl(`${site.url}/`),
      url: `${site.url}/`,
      host: '127.0.0.1',
      title: 'Home',
      content: expect.stringContaining('the beginning'),
      digest: expect.stringMatching(/^[0-9a-f]{32}$/),
      batchId: expect.any(String),
      segment: expect.stringMatching(/^\d{14}$/),
      tstamp: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
      boost: 2,
    });
    expect(a).toMatchObject({
      anchor: 'the word for it',
      lastModified: '1994-11-06T08:49:37.000Z',
      date: '1994-11-06T08:49:37.000Z',
      type: ['text/html', 'text', 'html'],
    });
    expect((await marks('one')).map(({ mark }) => mark)).toEqual([home!.batchId, a!.batchId]);
  });

  it.each<[string, string, number]>([
    ['scoring-opic alone: the root of the score', '', 3],
    ['scoring-link after it: the score', 'scoring-opic scoring-link', 9],
    ['scoring-link before it: the score, times its root', 'scoring-link scoring-opic', 27],
  ])('the boost is changed by scoring filters in their order (H12), with %s', async (_, order, boost) => {
    const site = await crawler.site({ '/': page('alone') });
    await crawler.inject(`boost${boost}`, [`${site.url}/\tnutch.score=9`]);
    await crawler.round(`boost${boost}`);
    const plugins = order === '' ? 'indexer-jsonl' : 'indexer-jsonl|scoring-link';
    const conf = { 'plugin.includes.also': plugins, 'scoring.filter.order': order };
    const job = await index(`boost${boost}`, {}, conf);
    expect(await documents(job)).toMatchObject([{ boost }]);
  });

  it('writes pages of its batch only, once UPDATEDB has updated them, and warns before that', async () => {
    const site = await crawler.site({ '/': links('/a'), '/a': page('a') });
    await crawler.inject('two', [`${site.url}/`]);
    await crawler.round('two');
    const batch = await crawler.untilParsed('two');
    const early = await index('two', { batch });
    expect(counters(early, 'IndexerJob')).toEqual({ DocumentCount: 0 });
    expect(await events(early)).toEqual([
      expect.stringContaining('Parsed pages that wait for UPDATEDB are not indexed: 1.'),
    ]);
    await crawler.update('two');
    expect((await documents(await index('two', { batch }))).map(({ url }) => url)).toEqual([`${site.url}/a`]);
    expect(await documents(await index('two', { segment: [batch] }))).toHaveLength(1);
    expect(await documents(await index('two'))).toHaveLength(1);
    expect(await documents(await index('two', { batch: '-all' }))).toHaveLength(2);
    for (const option of ['segment_dir', 'segments_dir', 'dir'])
      expect(await documents(await index('two', { [option]: 'two/segments' }))).toHaveLength(2);
  });

  it('writes every parsed page with -reindex, also before UPDATEDB', async () => {
    const site = await crawler.site({ '/': page('alone') });
    await crawler.inject('re', [`${site.url}/`]);
    await crawler.untilParsed('re');
    expect(await documents(await index('re', { batch: '-all' }))).toHaveLength(0);
    expect(await documents(await index('re', { batch: '-reindex' }))).toHaveLength(1);
    await crawler.update('re');
  });

  it('fails for a batch that does not exist', async () => {
    await crawler.inject('never', ['http://a.test/']);
    expect(await index('never', { batch: 'no-such' })).toMatchObject({
      state: 'FAILED',
      msg: expect.stringContaining('has never had a batch or segment "no-such"'),
    });
  });

  it('finishes with a warning when no index writer is active', async () => {
    const site = await crawler.site({ '/': page('alone') });
    await crawler.inject('none', [`${site.url}/`]);
    await crawler.round('none');
    const job = await cycle.run('INDEX', {}, { crawlId: 'none', conf: { 'plugin.excludes': 'indexer-.*' } });
    expect(job).toMatchObject({ state: 'FINISHED', result: { counters: { IndexerJob: { DocumentCount: 0 } } } });
    expect(await events(job)).toEqual([expect.stringContaining('No index writer is active')]);
    const rules = '<writers><writer id="k" class="org.apache.nutch.indexwriter.kafka.KafkaIndexWriter"/></writers>';
    const unknown = await index('none', {}, { 'indexer.indexwriters.rules': rules });
    expect(await events(unknown)).toEqual([
      expect.stringContaining(
        'k (org.apache.nutch.indexwriter.kafka.KafkaIndexWriter): no active plugin has this class',
      ),
    ]);
    const conf = { 'plugin.includes': 'protocol-http|indexer-solr' };
    const asInNutch = await cycle.run('INDEX', {}, { crawlId: 'none', conf });
    expect(await events(asInNutch)).toEqual([
      expect.stringContaining('indexer-solr: without an entry in indexer.indexwriters.rules.'),
    ]);
  });

  it('gives the target of redirects the representative URL of the chain (K13)', async () => {
    const site = await crawler.site({
      '/': redirect('/b/long', 302),
      '/b/long': redirect('/b/longer', 302),
      '/b/longer': page('here at last'),
    });
    await crawler.inject('repr', [`${site.url}/`]);
    for (let round = 0; round < 3; round++) await crawler.round('repr');
    const [found, ...more] = await documents(await index('repr', { batch: '-all' }));
    expect(more).toEqual([]);
    expect(found).toMatchObject({ id: reverseUrl(`${site.url}/b/longer`), url: `${site.url}/` });
    const listed = await index('repr', { batch: '-all' }, { 'index.blacklist': `${site.url}/` });
    expect(await documents(listed)).toMatchObject([{ id: found!.id, deleted: true }]);
  });
});

describe('INDEX of pages that must not be searchable', () => {
  it('skips duplicates, and deletes noindex, gone, redirected and duplicate pages where set', async () => {
    const site = await crawler.site({
      '/': links('/gone', '/moved', '/same', '/hidden'),
      '/gone': page('gone', {}, 404),
      '/moved': redirect('/', 301),
      '/same': page('the same'),
      '/twin': page('the same'),
      '/hidden': page('<meta name="robots" content="noindex">nothing'),
    });
    await crawler.inject('out', [`${site.url}/`, `${site.url}/twin`]);
    await crawler.round('out');
    await crawler.round('out');
    await cycle.run('DEDUP', {}, { crawlId: 'out' });
    const kept = await index('out', { batch: '-all' }, { 'indexer.delete.robots.noindex': 'true' });
    expect(counters(kept, 'IndexerStatus')).toMatchObject({
      'indexed (add/update)': 2,
      'deleted (robots=noindex)': 1,
      'skipped (duplicates)': 1,
    });
    const job = await index('out', { deleteGone: true });
    expect((await documents(job)).filter(({ deleted }) => deleted).map(({ id }) => id.slice(id.indexOf('/')))).toEqual([
      '/gone',
      '/moved',
      '/same',
    ]);
    expect(counters(job, 'IndexerStatus')).toMatchObject({
      'deleted (gone)': 1,
      'deleted (redirects)': 1,
      'deleted (duplicates)': 1,
    });
  });
});

it('documents that a filter drops stay in the index as shipped, and leave it with indexer.delete.skipped.by.indexingfilter', async () => {
  const site = await crawler.site({ '/': page('<title>kept</title>'), '/2': page('<title>dropped</title>') });
  await crawler.inject('dropped', [`${site.url}/`, `${site.url}/2`]);
  await crawler.round('dropped');
  await index('dropped');
  const conf = {
    'plugin.includes.also': 'indexer-jsonl|index-jexl-filter',
    'index.jexl.filter': "doc.title != 'dropped'",
  };
  const marked = async () => (await marks('dropped')).map(({ path, mark }) => [path, mark !== null]);
  const skipped = await index('dropped', { batch: '-all', reindex: true }, conf);
  expect(counters(skipped, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1, 'skipped (IndexingFilter)': 1 });
  expect(await marked()).toEqual([
    ['/', true],
    ['/2', true],
  ]);
  const deletes = { ...conf, 'indexer.delete.skipped.by.indexingfilter': 'true' };
  const job = await index('dropped', { batch: '-all', reindex: true }, deletes);
  expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1, 'deleted (IndexingFilter)': 1 });
  expect((await documents(job)).filter(({ deleted }) => deleted).map(({ id }) => id.slice(id.indexOf('/')))).toEqual([
    '/2',
  ]);
  expect(await marked()).toEqual([
    ['/', true],
    ['/2', false],
  ]);
});

describe('index.blacklist', () => {
  it('deletes listed pages from the index, and excludes them from GENERATE (H13, K10)', async () => {
    const paths = ['/', '/one', '/part/a', '/part/b', '/x9'];
    const site = await crawler.site(Object.fromEntries(paths.map((path) => [path, page(path)])));
    await crawler.inject(
      'black',
      paths.map((path) => site.url + path),
    );
    await crawler.round('black');
    const list = { 'index.blacklist': `# mine\n${site.url}/one\n${site.url}/part/*\n/x\\d$/` };
    const job = await index('black', {}, list);
    expect((await documents(job)).map(({ id, deleted }) => [id.slice(id.indexOf('/')), deleted ?? false])).toEqual([
      ['/', false],
      ['/one', true],
      ['/part/a', true],
      ['/part/b', true],
      ['/x9', true],
    ]);
    expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1, 'deleted (blacklist)': 4 });
    await cycle.db.query(`update webpage set fetch_time = now() - interval '1 hour'`);
    const generated = await cycle.run('GENERATE', {}, { crawlId: 'black', conf: list });
    expect(generated.result).toMatchObject({ 'generate.count': 1 });
  });
});

describe('configured index writers', () => {
  it('map fields and write each document to the same part file each time (H3, H4)', async () => {
    const site = await crawler.site(
      Object.fromEntries(['/', '/1', '/2', '/3', '/4'].map((path) => [path, page(path)])),
    );
    await crawler.inject(
      'parts',
      ['/', '/1', '/2', '/3', '/4'].map((path) => site.url + path),
    );
    await crawler.round('parts');
    const conf = {
      'indexer.indexwriters.rules': `<writers xmlns="http://lucene.apache.org/nutch">
        <writer id="w1" class="indexer-jsonl">
          <parameters><param name="parts" value="3"/></parameters>
          <mapping>
            <copy><field source="title" dest="search,more"/></copy>
            <rename><field source="content" dest="body"/></rename>
            <remove><field source="segment"/></remove>
          </mapping>
        </writer>
        <writer id="solr" class="org.apache.nutch.indexwriter.solr.SolrIndexWriter"><parameters/><mapping/></writer>
      </writers>`,
    };
    const first = await index('parts', {}, conf);
    const files = await indexFiles(folder.path, first, 'w1');
    expect([...files.keys()].sort()).toEqual(['part-r-00000.jsonl', 'part-r-00001.jsonl', 'part-r-00002.jsonl']);
    expect(await indexFiles(folder.path, await index('parts', {}, conf), 'w1')).toEqual(files);
    const lines = await indexLines(folder.path, first, 'w1');
    expect(lines).toHaveLength(5);
    expect(Object.keys(lines[0]!)).toEqual(expect.arrayContaining(['body', 'id', 'url']));
    for (const gone of ['segment', 'content']) expect(Object.keys(lines[0]!)).not.toContain(gone);
  });

  it('take the parameters of the job before their own', async () => {
    const site = await crawler.site({ '/': page('<title>one, two</title>') });
    await crawler.inject('params', [`${site.url}/`]);
    await crawler.round('params');
    const rules = `<writers><writer id="csv" class="indexer-csv"><parameters>
      <param name="fields" value="id"/><param name="header" value="false"/></parameters></writer></writers>`;
    const conf = { 'plugin.includes.also': 'indexer-csv', 'indexer.indexwriters.rules': rules };
    const job = await index('params', { params: 'fields=title,batchId&separator=%26&parts=2' }, conf);
    const files = await indexFiles(folder.path, job, 'csv');
    expect([...files.keys()].sort()).toEqual(['part-r-00000.csv', 'part-r-00001.csv']);
    expect([...files.values()].join('')).toMatch(/^one, two&[\d-]+\r\n$/);
  });

  it('receive the documents that exchanges route to them, and no others (L3)', async () => {
    const site = await crawler.site({ '/': page('<title>first</title>'), '/2': page('<title>second</title>') });
    await crawler.inject('exchanged', [`${site.url}/`, `${site.url}/2`]);
    await crawler.round('exchanged');
    const job = await index(
      'exchanged',
      {},
      {
        'indexer.indexwriters.rules':
          '<writers><writer id="one" class="indexer-jsonl"/><writer id="rest" class="indexer-jsonl"/></writers>',
        'exchanges.exchanges.rules': `<exchanges>
          <exchange id="first" class="exchange-jexl"><writers><writer id="one"/></writers>
            <params><param name="expr" value="doc.title == 'first'"/></params></exchange>
          <exchange id="default"><writers><writer id="rest"/></writers></exchange>
        </exchanges>`,
      },
    );
    const titles = async (writer: string) => (await indexLines(folder.path, job, writer)).map((line) => line['title']);
    expect([await titles('one'), await titles('rest')]).toEqual([['first'], ['second']]);
  });

  it('do not count documents as indexed that exchanges route to none of them', async () => {
    const site = await crawler.site({ '/': page('<title>first</title>'), '/2': page('<title>second</title>') });
    await crawler.inject('unrouted', [`${site.url}/`, `${site.url}/2`]);
    await crawler.round('unrouted');
    const conf = {
      'indexer.indexwriters.rules': '<writers><writer id="one" class="indexer-jsonl"/></writers>',
      'exchanges.exchanges.rules': `<exchanges>
          <exchange id="first" class="exchange-jexl"><writers><writer id="one"/></writers>
            <params><param name="expr" value="doc.title == 'first'"/></params></exchange>
          <exchange id="default"><writers><writer id="off"/></writers></exchange>
        </exchanges>`,
    };
    const job = await index('unrouted', {}, conf);
    expect(counters(job, 'IndexerStatus')).toEqual({ 'indexed (add/update)': 1, 'skipped (Exchange)': 1 });
    expect(counters(job, 'IndexerJob')).toMatchObject({ DocumentCount: 1 });
    expect(await indexLines(folder.path, job, 'one')).toHaveLength(1);
    expect(await marks('unrouted')).toEqual([
      { path: '/', mark: expect.any(String) },
      { path: '/2', mark: null },
    ]);
  });

  it('that exchanges name although they are not active are named in a warning', async () => {
    const site = await crawler.site({ '/': page('alone') });
    await crawler.inject('astray', [`${site.url}/`]);
    await crawler.round('astray');
    const job = await index(
      'astray',
      {},
      {
        'indexer.indexwriters.rules':
          '<writers><writer id="one" class="indexer-jsonl"/><writer id="off" class="indexer-csv"/></writers>',
        'exchanges.exchanges.rules': `<exchanges>
          <exchange id="first" class="exchange-jexl"><writers><writer id="one"/></writers>
            <params><param name="expr" value="doc.title == 'first'"/></params></exchange>
          <exchange id="default"><writers><writer id="off"/><writer id="typo"/></writers></exchange>
        </exchanges>`,
      },
    );
    expect(await events(job)).toEqual([expect.stringContaining('route documents to off, typo, but no active index')]);
  });

  it('with an invalid parameter fail the job with the reason', async () => {
    const site = await crawler.site({ '/': page('alone') });
    await crawler.inject('wrong', [`${site.url}/`]);
    await crawler.round('wrong');
    const rules =
      '<writers><writer id="w" class="indexer-jsonl"><parameters><param name="parts" value="0"/></parameters></writer></writers>';
    expect(await index('wrong', {}, { 'indexer.indexwriters.rules': rules })).toMatchObject({
      state: 'FAILED',
      msg: expect.stringContaining('index writer w: its parameter parts is a whole number from 1 to 1000'),
    });
  });
});
