import { expect, it } from 'vitest';
import { type StepType, jobTypes } from '../../src/core/job/job-types.js';
import type { JobRow } from '../../src/job/job-row.js';
import { page } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';

/** A job reports by a named counter how much work it found, also when that is zero. */

useCrawler();

/** Counter that a client of Nutch reads first, by job type. */
const PRINCIPAL: Record<StepType, [group: string, name: string]> = {
  INJECT: ['injector', 'urls_injected'],
  GENERATE: ['Generator', 'GENERATE_MARK'],
  FETCH: ['Fetcher', 'selected'],
  PARSE: ['ParserStatus', 'success'],
  UPDATEDB: ['UpdateDb', 'urls_added'],
  INVERTLINKS: ['LinkDb', 'pages'],
  DEDUP: ['DeduplicationJobStatus', 'Documents marked as duplicate'],
  INDEX: ['IndexerJob', 'DocumentCount'],
  CLEAN: ['CleaningJobStatus', 'Deleted documents'],
  MERGESEGS: ['SegmentMerger', 'merged'],
  SITEMAP: ['Sitemap', 'known_sitemaps'],
  HOSTDB: ['UpdateHostDb', 'total_hosts'],
  WEBGRAPH: ['WebGraph', 'nodes'],
  LINKRANK: ['LinkRank', 'nodes'],
  SCOREUPDATE: ['ScoreUpdater', 'updated'],
  PAGERANK: ['PageRank', 'nodes'],
  HITS: ['Hits', 'nodes'],
  READDB: ['WebTable', 'pages'],
  DROPCRAWL: ['DropCrawl', 'webpage'],
};
/** Arguments that a job requires. */
const ARGS: Partial<Record<StepType, Record<string, unknown>>> = { MERGESEGS: { segment_dir: 'segments' } };
const STEPS = jobTypes.filter((type): type is StepType => type !== 'CRAWL');

const principal = ({ type, result }: JobRow): number | undefined => {
  const [group, name] = PRINCIPAL[type as StepType];
  return result?.counters[group]?.[name];
};
const run = (type: StepType, crawlId: string): Promise<JobRow> =>
  type === 'INJECT' ? cycle.inject([], {}, { crawlId }) : cycle.run(type, ARGS[type] ?? {}, { crawlId });
/** A crawl of one page that was fetched, parsed and updated. */
async function crawled(crawlId: string): Promise<void> {
  const web = await crawler.site({ '/': page('alone') });
  await crawler.inject(crawlId, [`${web.url}/`]);
  await crawler.round(crawlId);
}

/** They fail at once, since there is no batch. */
const NEEDS_BATCH: readonly StepType[] = ['FETCH', 'PARSE', 'INVERTLINKS', 'INDEX'];
/** They process all pages each time; INDEX those of a batch. */
const LOOKS_AT_ALL: readonly StepType[] = [
  ...(['INVERTLINKS', 'INDEX', 'MERGESEGS', 'HOSTDB'] as const),
  ...(['PAGERANK', 'HITS', 'READDB', 'DROPCRAWL'] as const),
];

it.each(STEPS.filter((type) => !NEEDS_BATCH.includes(type)))(
  '%s of a crawl without pages reports its counter as 0',
  async (type) => {
    if (type !== 'DROPCRAWL') await crawler.inject(`new-${type}`, []);
    const job = await run(type, `new-${type}`);
    expect([job.state, principal(job)]).toEqual(['FINISHED', 0]);
  },
);

it.each(NEEDS_BATCH)('%s of a new crawl fails with "no batch"', async (type) => {
  expect(await run(type, `new-${type}`)).toMatchObject({ state: 'FAILED', msg: expect.stringContaining('no batch') });
});

it.each(STEPS)('%s of a finished crawl reports its counter: the pages it processes each time, else 0', async (type) => {
  await crawled(`done-${type}`);
  const job = await run(type, `done-${type}`);
  expect([job.state, principal(job)]).toEqual(['FINISHED', LOOKS_AT_ALL.includes(type) ? 1 : 0]);
});

it('every step of a small crawl counts what it did', async () => {
  const web = await crawler.site({ '/': links('/a', '/b'), '/a': page('same'), '/b': page('same') });
  const counted: [StepType, number | undefined][] = [];
  const note = async (type: StepType, job: Promise<JobRow>): Promise<void> => {
    const ended = await job;
    expect([ended.state, ended.msg]).toEqual(['FINISHED', 'OK']);
    counted.push([type, principal(ended)]);
  };
  const step = (type: StepType) => note(type, cycle.run(type, {}, { crawlId: 'small' }));
  await note('INJECT', crawler.inject('small', [`${web.url}/`]));
  for (const type of ['GENERATE', 'FETCH', 'PARSE', 'UPDATEDB'] as const) await step(type);
  await crawler.round('small');
  for (const type of ['INVERTLINKS', 'DEDUP', 'HOSTDB', 'READDB', 'DROPCRAWL'] as const) await step(type);
  expect(counted).toEqual([
    ['INJECT', 1],
    ['GENERATE', 1],
    ['FETCH', 1],
    ['PARSE', 1],
    ['UPDATEDB', 2],
    ['INVERTLINKS', 2],
    ['DEDUP', 1],
    ['HOSTDB', 1],
    ['READDB', 3],
    ['DROPCRAWL', 3],
  ]);
});

it('INDEX, DEDUP and SCOREUPDATE that counted something else report their counter as 0', async () => {
  const web = await crawler.site({ '/': links('/a', '/b'), '/a': page('same'), '/b': page('same') });
  await crawler.inject('else', [`${web.url}/`]);
  for (let round = 0; round < 2; round++) await crawler.round('else');
  const step = (type: StepType, conf = {}) => cycle.run(type, {}, { crawlId: 'else', conf });
  const nothing = await step('INDEX', { 'index.blacklist': `${web.url}/*` });
  await step('LINKRANK', { 'link.ignore.internal.host': 'false', 'link.ignore.internal.domain': 'false' });
  await step('SCOREUPDATE');
  await crawler.inject('else', [`${web.url}/c`]);
  const cleared = await step('SCOREUPDATE');
  expect([await step('DEDUP')].map(principal)).toEqual([1]);
  await cycle.db.query(`update webpage set status = 3 where status = 2 and key ~ '/[ab]$'`);
  await cycle.db.query(`update crawl set dedup_rules = null where name = 'else'`);
  const restored = await step('DEDUP');
  // Restored, for the consistency check after each test.
  await cycle.db.query(`update webpage set status = 2 where status = 3 and key ~ '/[ab]$'`);
  expect([nothing, cleared, restored].map((job) => [principal(job), job.result?.counters])).toMatchObject([
    [0, { IndexerStatus: { 'deleted (blacklist)': 2 } }],
    [0, { ScoreUpdater: { cleared: 1 } }],
    [0, { DeduplicationJobStatus: { 'Documents no longer marked as duplicate': 1 } }],
  ]);
});

it('a CRAWL in which no page is due reports GENERATE_MARK 0', async () => {
  const { confId, confHash } = await cycle.run('READDB', {}, { crawlId: 'idle' });
  const plan = { seedName: null, rounds: 5, topN: null, limit: null, adddays: 0, threads: 2 };
  const { id } = await cycle.jobs.create({ type: 'CRAWL', crawlId: 'idle', confId, confHash, args: {}, plan });
  // Running any job runs all waiting ones.
  await cycle.run('READDB', {}, { crawlId: 'idle' });
  expect(await cycle.jobs.find(id)).toMatchObject({
    state: 'FINISHED',
    result: { counters: { Generator: { GENERATE_MARK: 0 } } },
  });
});
