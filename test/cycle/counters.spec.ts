import { expect, it } from 'vitest';
import { type JobRow, type StepType, jobTypes } from '../../src/job/job-row.js';
import { page } from '../support/site.js';
import { crawler, cycle, links, useCrawler } from './crawler.js';

/** A job that looked for work says by name how much it found: zeros, where there was none. */

useCrawler();

/** What a client of Nutch looks for first, by type of job. */
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
/** What a job must be told. */
const ARGS: Partial<Record<StepType, Record<string, unknown>>> = { MERGESEGS: { segment_dir: 'segments' } };
const STEPS = jobTypes.filter((type): type is StepType => type !== 'CRAWL');

const principal = ({ type, result }: JobRow): number | undefined => {
  const [group, name] = PRINCIPAL[type as StepType];
  return result?.counters[group]?.[name];
};
const run = (type: StepType, crawlId: string): Promise<JobRow> =>
  type === 'INJECT' ? cycle.inject([], {}, { crawlId }) : cycle.run(type, ARGS[type] ?? {}, { crawlId });
/** A crawl of one page that was fetched, parsed and taken in. */
async function crawled(crawlId: string): Promise<void> {
  const web = await crawler.site({ '/': page('alone') });
  await crawler.inject(crawlId, [`${web.url}/`]);
  await crawler.round(crawlId);
}

/** They are refused before they look for anything: there is no batch that they could take. */
const NEEDS_BATCH: readonly StepType[] = ['FETCH', 'PARSE', 'INVERTLINKS', 'INDEX'];
/** They look at all there is, done before or not; INDEX at all of a batch. */
const LOOKS_AT_ALL: readonly StepType[] = [
  ...(['INVERTLINKS', 'INDEX', 'MERGESEGS', 'HOSTDB'] as const),
  ...(['PAGERANK', 'HITS', 'READDB', 'DROPCRAWL'] as const),
];

it.each(STEPS.filter((type) => !NEEDS_BATCH.includes(type)))(
  '%s of a crawl without a page counts none, by name',
  async (type) => {
    if (type !== 'DROPCRAWL') await crawler.inject(`new-${type}`, []);
    const job = await run(type, `new-${type}`);
    expect([job.state, principal(job)]).toEqual(['FINISHED', 0]);
  },
);

it.each(NEEDS_BATCH)('%s of a new crawl says that it has no batch', async (type) => {
  expect(await run(type, `new-${type}`)).toMatchObject({ state: 'FAILED', msg: expect.stringContaining('no batch') });
});

it.each(STEPS)('%s of a crawl in which all is done counts what it has found, if none by name', async (type) => {
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

it('a CRAWL in which nothing is due counts none, by name', async () => {
  const { confId, confHash } = await cycle.run('READDB', {}, { crawlId: 'idle' });
  const plan = { seedName: null, rounds: 5, topN: null, limit: null, adddays: 0, threads: 2 };
  const { id } = await cycle.jobs.create({ type: 'CRAWL', crawlId: 'idle', confId, confHash, args: {}, plan });
  // Any job's run does all that waits.
  await cycle.run('READDB', {}, { crawlId: 'idle' });
  expect(await cycle.jobs.find(id)).toMatchObject({
    state: 'FINISHED',
    result: { counters: { Generator: { GENERATE_MARK: 0 } } },
  });
});
