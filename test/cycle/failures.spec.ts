import { afterAll, beforeAll, expect, it } from 'vitest';
import { type FailureCode, cureOf } from '../../src/core/job/failure-codes.js';
import type { JobRow } from '../../src/job/job-row.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { linkedCrawl } from './link-graphs.js';

/** Jobs that fail by what they were given: the code in their result, and the cure that clients are shown for it. */

let cycle: Cycle;
beforeAll(async () => {
  cycle = await openCycle();
});
afterAll(() => cycle.close());

/** A job that fails, in a crawl named after its code. */
type Provoke = (crawlId: string) => Promise<JobRow>;

const provoked: [FailureCode, string, Provoke, { says: string; property?: string; cure: string; again: boolean }][] = [
  [
    'AGENT_NAME_MISSING',
    'FETCH without http.agent.name',
    (crawlId) => cycle.run('FETCH', {}, { crawlId, conf: { 'http.agent.name': ' ' } }),
    { says: 'http.agent.name', property: 'http.agent.name', cure: 'http.agent.name', again: true },
  ],
  [
    'PROTOCOL_MISSING',
    'FETCH without a protocol plugin',
    (crawlId) => cycle.run('FETCH', {}, { crawlId, conf: { 'plugin.includes': 'parse-html' } }),
    { says: 'protocol-http', property: 'plugin.includes', cure: 'protocol-http', again: true },
  ],
  [
    'NO_BATCH',
    'PARSE before any GENERATE',
    async (crawlId) => {
      await cycle.inject(['http://a.test/'], {}, { crawlId });
      return cycle.run('PARSE', {}, { crawlId });
    },
    { says: 'there is no batch', cure: 'GENERATE', again: true },
  ],
  [
    'BATCH_UNKNOWN',
    'PARSE of a batch of no GENERATE',
    async (crawlId) => {
      await cycle.inject(['http://a.test/'], {}, { crawlId });
      return cycle.run('PARSE', { batch: 'b-none' }, { crawlId });
    },
    { says: 'b-none', cure: '/v1/batches?crawlId=', again: false },
  ],
  [
    'BATCH_OPEN',
    'MERGESEGS of a batch that waits for UPDATEDB',
    async (crawlId) => {
      await cycle.inject(['http://a.test/'], {}, { crawlId });
      await cycle.run('GENERATE', { batch: 'b-open' }, { crawlId });
      return cycle.run('MERGESEGS', { segment: ['b-open'] }, { crawlId });
    },
    { says: 'batch "b-open" has pages that wait for UPDATEDB (1)', cure: 'UPDATEDB', again: true },
  ],
  [
    'CRAWL_UNKNOWN',
    'UPDATEDB of a crawl without rows',
    (crawlId) => cycle.run('UPDATEDB', {}, { crawlId }),
    { says: 'no job has ever written', cure: 'INJECT', again: false },
  ],
  [
    'LIST_GONE',
    'INJECT of a list that is not stored',
    (crawlId) => cycle.run('INJECT', { seedName: 'none' }, { crawlId }),
    { says: 'there is no seed list "none"', cure: 'POST /seed/create', again: true },
  ],
  [
    'LIST_CHANGED',
    'INJECT of a list that is replaced when its first pages are stored',
    async (crawlId) => {
      await cycle.db.query(
        `create function replaced() returns trigger language plpgsql
             as $$ begin update seed_list set created_at = created_at + interval '1 second'; return null; end $$`,
      );
      await cycle.db.query('create trigger replaced after insert on webpage execute function replaced()');
      const job = await cycle.inject(
        Array.from({ length: 5_001 }, (_, n) => `http://a.test/${n}`),
        {},
        { crawlId },
      );
      await cycle.db.query('drop function replaced cascade');
      return job;
    },
    { says: 'was replaced while it was read', cure: 'Run it again', again: true },
  ],
  [
    'GRAPH_TOO_LARGE',
    'PAGERANK of more links than link.graph.max.edges',
    async (crawlId) => {
      const [a, b] = ['http://a.test/', 'http://b.test/'] as const;
      await linkedCrawl(cycle, crawlId, {
        urls: [a, b],
        links: [
          [a, b],
          [b, a],
        ],
      });
      return cycle.run('PAGERANK', {}, { crawlId, conf: { 'link.graph.max.edges': '1' } });
    },
    { says: 'more than 1 links', property: 'link.graph.max.edges', cure: 'memory', again: true },
  ],
  [
    'INDEX_WRITER',
    'INDEX with an index writer whose parameters cannot be used',
    async (crawlId) => {
      await cycle.inject(['http://a.test/'], {}, { crawlId });
      await cycle.run('GENERATE', {}, { crawlId });
      const rules =
        '<writers><writer id="o" class="indexer-opensearch-1x"><parameters><param name="url" value="no url"/></parameters></writer></writers>';
      const conf = { 'plugin.includes.also': 'indexer-opensearch-1x', 'indexer.indexwriters.rules': rules };
      return cycle.run('INDEX', {}, { crawlId, conf });
    },
    { says: 'index writer o: ', cure: 'index writer', again: true },
  ],
  [
    'ARGS_INVALID',
    'MERGESEGS without a segment',
    async (crawlId) => {
      await cycle.inject(['http://a.test/'], {}, { crawlId });
      return cycle.run('MERGESEGS', {}, { crawlId });
    },
    {
      says: 'name the segments to merge',
      cure: 'Fix the arguments named in msg and create the job again',
      again: false,
    },
  ],
];

it.each(provoked)('%s is the failure of %s, and its cure says what to do', async (code, _what, provoke, expected) => {
  const job = await provoke(`k-${code}`);
  expect([job.state, job.result?.['failure'], job.msg]).toEqual([
    'FAILED',
    code,
    expect.stringContaining(expected.says),
  ]);
  expect(cureOf(job)).toEqual({
    code,
    message: expect.stringContaining(expected.cure),
    property: expected.property ?? null,
    again: expected.again,
  });
});
