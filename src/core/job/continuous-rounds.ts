/**
 * A continuous crawl: one FETCH is open while UPDATEDB adds what it has fetched so far and GENERATE makes further batches,
 * which the FETCH takes too. So no host waits for the slowest host of its round.
 *
 * A round is one GENERATE. The FETCH begins with the first batch and runs until it is closed: when nothing is due, or the limit
 * of the crawl is reached; with steps beside it, when it has fetched all pages up to the limit. UPDATEDB runs when the FETCH has
 * little left to fetch. It keeps the batches open while the FETCH is open; the UPDATEDB after the end of the FETCH closes them all.
 */
import { end, failedBy, leavesBatchesOpen, nothingSelected, stopped } from './crawl-ends.js';
import type { Child, CrawlSoFar, CrawlStep } from './crawl-plan.js';
import { visitedBy } from './crawl-visits.js';
import { firstStep } from './first-steps.js';
import { documentsDue, hasStepsBeside } from './follow-ups.js';
import { endsCrawl, isOpen } from './child-states.js';
import { generate, nextRound } from './next-round.js';
import { freeRound, lastRound } from './round-numbers.js';

export function nextContinuousStep(crawl: CrawlSoFar): CrawlStep {
  const { children, state } = crawl;
  const fetchJob = children.findLast(({ type }) => type === 'FETCH');
  const step = children.findLast(({ type }) => type !== 'FETCH');
  if (step && isOpen(step)) return { kind: 'wait' };
  const broken = crawl.broken ?? children.find((child) => endsCrawl(child, state));
  if (fetchJob && isOpen(fetchJob)) {
    if (state !== 'RUNNING') return { kind: 'wait' };
    if (broken || isGenerateStopped(children)) return { kind: 'stop', job: fetchJob.id };
    return whileFetching(crawl, fetchJob, step!);
  }
  if (state === 'KILLING') return end(crawl, 'KILLED', 'stopped', 'killed');
  if (broken) return failedBy(crawl, broken);
  if (step && leavesBatchesOpen(step)) return stopped(crawl);
  if (!step || step.round === 0) return beforeFetch(crawl, step);
  return betweenFetches(crawl, fetchJob, step);
}

function beforeFetch(crawl: CrawlSoFar, step: Child | undefined): CrawlStep {
  if (crawl.state !== 'RUNNING') return stopped(crawl);
  return firstStep(crawl, step);
}

/** `step` has ended, the FETCH is running. */
function whileFetching(crawl: CrawlSoFar, fetchJob: Child, step: Child): CrawlStep {
  const { children, plan } = crawl;
  if (fetchJob.closed) return { kind: 'wait' };
  if (step.type === 'UPDATEDB' && step.keepsOpen) {
    const isFull = plan.limit !== null && visitedBy(children) >= plan.limit;
    if (!isFull) return generate(crawl, lastRound(children) + 1);
    // Steps beside the FETCH need further UPDATEDBs while it fetches the last batch, which may be a large one.
    if (!hasStepsBeside(plan)) return close(fetchJob);
  }
  const updatedAt = msOrNever(children.findLast(({ type }) => type === 'UPDATEDB')?.createdAt);
  // What a task reported before it could take the last batch is out of date: it reports again.
  const batchAt = msOrNever(children.findLast(({ selected }) => selected > 0)?.endedAt);
  const [lowAt, dryAt] = [fetchJob.lowSince, fetchJob.drySince]
    .map(msOrNever)
    .map((at) => (at > batchAt ? at : -Infinity));
  // Everything fetched has been through UPDATEDB, and nothing was due.
  if (dryAt! > -Infinity && dryAt! <= updatedAt && step.selected === 0) return close(fetchJob);
  const reportedAt = Math.max(lowAt!, dryAt!);
  if (reportedAt <= updatedAt) return { kind: 'wait' };
  // It processes what was reported, also if the clock was set back since: otherwise the next one would follow at once.
  return { ...update(crawl, { open: true }), after: new Date(reportedAt) };
}

const msOrNever = (at: Date | null | undefined): number => at?.getTime() ?? -Infinity;

const close = ({ id }: Child): CrawlStep => ({ kind: 'close', job: id });

/** No FETCH is open. */
function betweenFetches(crawl: CrawlSoFar, fetchJob: Child | undefined, step: Child): CrawlStep {
  const { children, state } = crawl;
  const closing = children.findLastIndex(({ type, keepsOpen }) => type === 'UPDATEDB' && !keepsOpen);
  const unclosed = children.slice(closing + 1);
  const isFetched = unclosed.some(({ type }) => type === 'FETCH');
  const isSelected = unclosed.some(({ selected }) => selected > 0);
  if (isFetched || (isSelected && state !== 'RUNNING')) {
    const isLeft = isFetched && (fetchJob!.unparsed ?? 0) > 0 && step.type !== 'PARSE';
    return isLeft ? parse(children) : update(crawl, { open: false });
  }
  if (state !== 'RUNNING' || isGenerateStopped(children)) return stopped(crawl);
  if (step.type === 'UPDATEDB') return nextRound(crawl, lastRound(children) + 1);
  if (!isSelected) return nothingSelected(crawl, step);
  return { kind: 'child', type: 'FETCH', round: step.round, args: fetchArgs(crawl, step) };
}

/** A user who stops a GENERATE wants no further batch. */
const isGenerateStopped = (children: readonly Child[]): boolean =>
  children.findLast(({ type }) => type === 'GENERATE')?.reason === 'stopped';

const update = ({ children, plan }: CrawlSoFar, { open }: { open: boolean }): CrawlStep & { kind: 'child' } => ({
  kind: 'child',
  type: 'UPDATEDB',
  round: freeRound(children, 'UPDATEDB'),
  args: { ofCrawl: open ? 'fetched' : 'all', ...documentsDue(plan) },
});

const parse = (children: readonly Child[]): CrawlStep => ({
  kind: 'child',
  type: 'PARSE',
  round: freeRound(children, 'PARSE'),
  args: { batch: '-all' },
});

const fetchArgs = ({ plan: { threads } }: CrawlSoFar, { batch }: Child): Record<string, unknown> => ({
  batch,
  ...(threads !== null && { threads }),
  parse: true,
});
