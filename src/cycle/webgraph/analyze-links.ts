/**
 * The common part of WEBGRAPH, LINKRANK, PAGERANK and HITS: the link graph is read into memory, the values are computed and
 * written page by page. The computation pauses each few milliseconds, so that the event loop continues and a stop is noticed.
 *
 * Nothing of a dead attempt is left in memory: the next one reads and computes again, which gives the same result if the
 * crawl is the same, and continues writing after the last page of the one before it.
 */
import type { LinkGraph } from '../../core/link-analysis/link-graph.js';
import type { IterationProgress } from '../../core/link-analysis/power-iteration.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { untilHalted } from '../halt.js';
import { JobReport } from '../job-report.js';
import { refuseUnwritten } from '../require-pages.js';
import type { Run } from '../step.js';
import { timeSliced } from './time-sliced.js';
import { type CrawlGraph, type GraphRules, inChunks, nodeNumber, readGraph } from './read-graph.js';
import {
  BEFORE_ALL,
  type HashedPage,
  type NodeColumn,
  type PageAt,
  deleteStaleNodes,
  nextHashedPages,
  putNodes,
} from './webgraph.sql.js';

/** Pages written in one transaction. */
const CHUNK = 5_000;

/** The values of a method for each node. */
export interface NodeValues {
  columns: { name: NodeColumn['name']; value: (node: number) => number | null }[];
  /** Which nodes are counted. */
  counts: (node: number) => boolean;
}

export interface LinkAnalysis {
  /** Group of its counters. */
  group: string;
  rules: GraphRules;
  /** Warning for a crawl without any page that counts. */
  ifNoneCounts?: string;
  values: (graph: LinkGraph) => Generator<IterationProgress | void, NodeValues>;
}

export async function analyzeLinks(run: Run<object>, method: LinkAnalysis): Promise<TaskOutcome> {
  const plan = await planAlone(run);
  if (plan === null) return { reason: 'stopped' };
  let line = 'reading pages';
  const report = new JobReport(run, { line: () => line, wait: () => null });
  const note = (words: string): void => void (line = words);
  try {
    return await untilHalted(run, async (signal) => {
      signal.throwIfAborted();
      const read = await readGraph(run, method.rules, { signal, note: (words) => note(`reading ${words}`) });
      const values = await timeSliced(method.values(read.graph), signal, (step) => {
        if (step) note(`iteration ${step.iteration + 1}, the last one changed ${step.change.toPrecision(3)}`);
      });
      if (method.ifNoneCounts !== undefined && noneCounts(read.graph, values)) await run.warn(method.ifNoneCounts);
      await writeAll(run, { method, read, values, signal, note });
      return { reason: 'done' };
    });
  } finally {
    await report.end();
  }
}

/** Only one of the jobs that read and write nodes runs at a time in a crawl. Null: the job was stopped meanwhile. */
export const planAlone = (run: Run<object>): Promise<{ parts: number } | null> =>
  run.plan(async () => {
    if (!(await run.lock('WEBGRAPH'))) return null;
    await refuseUnwritten(run);
    return { parts: 1 };
  });

function noneCounts({ nodes }: LinkGraph, { counts }: NodeValues): boolean {
  for (let node = 0; node < nodes; node++) if (counts(node)) return false;
  return true;
}

interface Writing {
  method: LinkAnalysis;
  read: CrawlGraph;
  values: NodeValues;
  signal: AbortSignal;
  note: (line: string) => void;
}

async function writeAll(run: Run<object>, writing: Writing): Promise<void> {
  const { crawl } = run.job;
  const { seed } = writing.read;
  let after: PageAt = { ...BEFORE_ALL, ...(run.progress as Partial<PageAt> | null) };
  const chunks = inChunks(
    (from: PageAt) => nextHashedPages(run.pool, { crawl, seed, after: from, limit: CHUNK }),
    after,
  );
  let written = 0;
  for await (const pages of chunks) {
    writing.signal.throwIfAborted();
    await writeChunk(run, after, { pages, ...writing });
    after = lastOf(pages);
    writing.note(`written: ${(written += pages.length)} of ${writing.read.graph.nodes} pages`);
  }
  await run.write((tx) => deleteStaleNodes(tx, crawl, after, null), { ...after });
}

function lastOf(pages: readonly HashedPage[]): PageAt {
  const { host, keyHash } = pages.at(-1)!;
  return { host, keyHash };
}

async function writeChunk(
  run: Run<object>,
  after: PageAt,
  { pages, method, read, values }: Writing & { pages: HashedPage[] },
): Promise<void> {
  const { crawl } = run.job;
  const last = lastOf(pages);
  const known = pages.flatMap(({ host, key, hash }) => {
    const node = nodeNumber(read.numbers, hash);
    // A page that was added while the graph was read has no score yet.
    return node < 0 ? [] : [{ host, key, node }];
  });
  const columns = values.columns.map(({ name, value }) => ({ name, values: known.map(({ node }) => value(node)) }));
  const nodes = known.filter(({ node }) => values.counts(node)).length;
  await run.write(
    async (tx, count) => {
      await deleteStaleNodes(tx, crawl, after, last);
      count(method.group, 'changed', await putNodes(tx, crawl, known, columns));
      count(method.group, 'nodes', nodes);
    },
    { ...last },
  );
}
