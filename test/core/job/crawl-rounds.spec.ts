import { describe, expect, it } from 'vitest';
import type { Child, CrawlPlan, CrawlStep } from '../../../src/core/job/crawl-plan.js';
import { batchesLeftBy, nextStep } from '../../../src/core/job/crawl-rounds.js';
import type { StepType } from '../../../src/core/job/job-types.js';
import type { JobState } from '../../../src/core/job/job-states.js';
import { WITHOUT_LIMITS } from './plans.js';

const plan = WITHOUT_LIMITS;
const createdAt = new Date(1_763_600_000_000);

/**
 * `INJECT`, `GENERATE 3` (pages selected), `FETCH`, `FETCH pending=2` (the others were visited), `FETCH stopped`: finished
 * children in their order; the state of the last may differ.
 */
function children(words: string[], last: JobState = 'FINISHED'): Child[] {
  let round = 0;
  let batch = 0;
  return words.map((word, at) => {
    const [type, ...more] = word.split(' ') as [StepType, ...string[]];
    const selected = type === 'GENERATE' ? Number(more[0]) : 0;
    const counted = more.filter((one) => one.includes('=')).map((one) => one.split('=') as [string, string]);
    const visits = Object.fromEntries(counted.map(([name, n]) => [name, Number(n)]));
    if (type === 'GENERATE') [round, batch] = [round + 1, selected];
    const state = at === words.length - 1 ? last : 'FINISHED';
    const rest = batch - Object.values(visits).reduce((sum, n) => sum + n, 0);
    return {
      id: `k-c-${type}-${at}`,
      type,
      round,
      state,
      msg: 'OK',
      batch: selected > 0 ? `b${round}` : null,
      selected,
      selections: selected > 0 ? 1 : 0,
      visits: counted.length > 0 ? { ...(rest > 0 && { SUCCESS: rest }), ...visits } : null,
      ...(more.includes('unparsed') && { unparsed: 3 }),
      reason: state !== 'FINISHED' ? null : more.includes('stopped') ? 'stopped' : 'done',
    };
  });
}

const after = (
  words: string[],
  more: Partial<CrawlPlan> = {},
  state: JobState = 'RUNNING',
  last?: JobState,
): CrawlStep =>
  nextStep({ plan: { ...plan, ...more }, createdAt, now: createdAt, state, children: children(words, last) });

/** `FETCH 2`: type and round of the next child, or `FINISHED done`. */
const shown = (step: CrawlStep): string =>
  step.kind === 'child' ? `${step.type} ${step.round}` : step.kind === 'end' ? `${step.state} ${step.reason}` : 'wait';

const round = ['GENERATE 5', 'FETCH', 'PARSE', 'UPDATEDB'];
/** A round whose FETCH left some of its pages. */
const left = (pages: string) => ['GENERATE 5', `FETCH ${pages}`, 'PARSE', 'UPDATEDB'];

describe('nextStep of a crawl in strict rounds', () => {
  it.each<[string[], Partial<CrawlPlan>, string]>([
    [[], {}, 'INJECT 0'],
    [[], { seedName: null }, 'GENERATE 1'],
    [['INJECT'], {}, 'GENERATE 1'],
    // A crawl that is run again first completes the batch it had left open.
    [[], { leftBatches: ['b9'] }, 'PARSE 0'],
    [['PARSE'], { leftBatches: ['b9'] }, 'UPDATEDB 0'],
    [['PARSE', 'UPDATEDB'], { leftBatches: ['b9'] }, 'INJECT 0'],
    [['PARSE', 'UPDATEDB', 'INJECT'], { leftBatches: ['b9'], sitemaps: true }, 'SITEMAP 0'],
    [['PARSE', 'UPDATEDB'], { leftBatches: ['b9'], seedName: null }, 'GENERATE 1'],
    [['PARSE', 'UPDATEDB', 'INJECT', ...round], { leftBatches: ['b9'] }, 'GENERATE 2'],
    // What it should have indexed is indexed next.
    [['PARSE', 'UPDATEDB'], { leftBatches: ['b9'], documentsDue: true, index: true }, 'INDEX 0'],
    [['PARSE', 'UPDATEDB', 'INDEX'], { leftBatches: ['b9'], documentsDue: true, index: true }, 'INJECT 0'],
    [[], { documentsDue: true }, 'INJECT 0'],
    [['INJECT'], { sitemaps: true }, 'SITEMAP 0'],
    [[], { seedName: null, sitemaps: true }, 'SITEMAP 0'],
    [['INJECT', 'SITEMAP'], { sitemaps: true }, 'GENERATE 1'],
    [['INJECT', 'SITEMAP', ...round], { sitemaps: true }, 'GENERATE 2'],
    [['INJECT', 'GENERATE 5'], {}, 'FETCH 1'],
    [['INJECT', 'GENERATE 5', 'FETCH'], {}, 'PARSE 1'],
    [['INJECT', 'GENERATE 5', 'FETCH'], { parsesWhileFetching: true }, 'UPDATEDB 1'],
    // FETCH was stopped before it had parsed all fetched pages.
    [['INJECT', 'GENERATE 5', 'FETCH unparsed'], { parsesWhileFetching: true }, 'PARSE 1'],
    [['INJECT', 'GENERATE 5', 'FETCH unparsed', 'PARSE'], { parsesWhileFetching: true }, 'UPDATEDB 1'],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE'], {}, 'UPDATEDB 1'],
    [['INJECT', ...round], {}, 'GENERATE 2'],
    [['INJECT', ...round], { invertLinks: true }, 'INVERTLINKS 1'],
    [['INJECT', ...round, 'INVERTLINKS'], { invertLinks: true, dedup: true }, 'DEDUP 1'],
    [['INJECT', ...round, 'INVERTLINKS', 'DEDUP'], { invertLinks: true, dedup: true }, 'GENERATE 2'],
    [['INJECT', ...round], { ranks: true }, 'INVERTLINKS 1'],
    [['INJECT', ...round, 'INVERTLINKS'], { ranks: true, invertLinks: true }, 'WEBGRAPH 1'],
    [['INJECT', ...round, 'INVERTLINKS', 'DEDUP'], { ranks: true, dedup: true }, 'WEBGRAPH 1'],
    [['INJECT', ...round, 'INVERTLINKS', 'WEBGRAPH'], { ranks: true }, 'LINKRANK 1'],
    [['INJECT', ...round, 'INVERTLINKS', 'WEBGRAPH', 'LINKRANK'], { ranks: true }, 'SCOREUPDATE 1'],
    [['INJECT', ...round, 'INVERTLINKS', 'WEBGRAPH', 'LINKRANK', 'SCOREUPDATE'], { ranks: true }, 'GENERATE 2'],
    [['INJECT', ...round, ...round], {}, 'GENERATE 3'],
    [['INJECT', ...round, 'GENERATE 0'], {}, 'FINISHED done'],
    [['INJECT', 'GENERATE 0'], {}, 'FINISHED done'],
    [['INJECT', ...round, ...round], { rounds: 2 }, 'FINISHED rounds'],
    [['INJECT', ...round], { rounds: 2 }, 'GENERATE 2'],
    [['INJECT', ...round, ...round], { limit: 10 }, 'FINISHED limit'],
    [['INJECT', ...round, ...round], { limit: 11 }, 'GENERATE 3'],
    [['INJECT', ...round, ...left('host_blocked=1')], { limit: 10 }, 'GENERATE 3'],
    [['INJECT', ...round, ...left('filtered=5')], {}, 'FINISHED nothing-fetched'],
    [['INJECT', ...round, ...left('pending=5')], {}, 'GENERATE 3'],
    [['INJECT', ...round, ...left('HitByTimeLimit-QueueFeeder=5')], {}, 'GENERATE 3'],
    [['INJECT', ...round, ...left('HitByTimeLimit-Queues=2 HitByTimeLimit-QueueFeeder=3')], {}, 'GENERATE 3'],
    [['INJECT', ...round, ...left('HitByTimeLimit-Queues=4')], { limit: 6 }, 'FINISHED limit'],
    [['INJECT', ...round, ...left('HitByTimeLimit-Queues=4')], { limit: 7 }, 'GENERATE 3'],
    [['INJECT', ...left('pending=5'), ...left('pending=5')], {}, 'GENERATE 3'],
    [['INJECT', ...left('pending=5'), ...left('pending=5'), ...left('pending=5')], {}, 'FINISHED nothing-fetched'],
    [['INJECT', ...left('pending=5'), ...left('pending=4'), ...left('pending=5')], {}, 'GENERATE 4'],
    [['INJECT', ...left('pending=5'), ...left('stopped pending=5'), ...left('pending=5')], {}, 'GENERATE 4'],
    [['INJECT', ...left('pending=2 filtered=3')], {}, 'GENERATE 2'],
    [['INJECT', ...left('stopped filtered=5')], {}, 'GENERATE 2'],
    [['INJECT', ...round, ...left('pending=4')], {}, 'GENERATE 3'],
    [['INJECT', ...round, ...left('host_drained=5')], {}, 'GENERATE 3'],
    // Targets of redirects were added to the batches.
    [['INJECT', ...left('SUCCESS=5 host_blocked=5')], { limit: 5 }, 'FINISHED limit'],
    [['INJECT', ...left('SUCCESS=5 filtered=5')], {}, 'GENERATE 2'],
    [['INJECT', ...left('TEMP_MOVED=5 SUCCESS=5')], { limit: 10 }, 'FINISHED limit'],
    [['INJECT', ...round, ...left('stopped')], { limit: 10 }, 'GENERATE 3'],
  ])('after %j with %j is %s', (words, more, expected) => {
    expect(shown(after(words, more))).toBe(expected);
  });

  it.each<JobState>(['IDLE', 'RUNNING', 'STOPPING', 'KILLING'])('waits while the last child is %s', (state) => {
    expect(shown(after(['INJECT', 'GENERATE 5', 'FETCH'], {}, 'RUNNING', state))).toBe('wait');
  });

  it.each<[string[], Partial<CrawlPlan>, object]>([
    [['INJECT'], {}, {}],
    [['INJECT'], { topN: 100 }, { topN: 100 }],
    [['INJECT', ...round], { topN: 100, limit: 50 }, { topN: 45 }],
    [['INJECT', ...round], { limit: 1_000 }, { topN: 995 }],
    [['INJECT', ...left('host_blocked=2')], { limit: 1_000 }, { topN: 997 }],
    [['INJECT', ...left('SUCCESS=5 host_blocked=5')], { limit: 1_000 }, { topN: 995 }],
    [['INJECT'], { adddays: 31 }, { adddays: 31, notFetchedSince: createdAt.getTime() }],
    [['INJECT', 'GENERATE 5'], {}, { batch: 'b1' }],
    [['INJECT', 'GENERATE 5'], { threads: 7 }, { batch: 'b1', threads: 7 }],
    [['INJECT', 'GENERATE 5'], { parsesWhileFetching: true }, { batch: 'b1', parse: true }],
    [['INJECT', ...round, 'GENERATE 5', 'FETCH'], { threads: 7 }, { batch: 'b2' }],
    [['INJECT', ...round], { dedup: true }, {}],
    [['INJECT', ...round], { ranks: true }, { batch: 'b1' }],
    [['INJECT', ...round, 'INVERTLINKS'], { ranks: true }, {}],
  ])('after %j with %j has the arguments %j', (words, more, args) => {
    expect(after(words, more)).toMatchObject({ kind: 'child', args });
    expect((after(words, more) as { args: object }).args).toEqual(args);
  });

  it.each<[string[], JobState, string]>([
    [['INJECT'], 'FINISHED', 'FINISHED stopped'],
    [['INJECT', 'GENERATE 0'], 'FINISHED', 'FINISHED stopped'],
    [['INJECT', 'GENERATE 5'], 'FINISHED', 'UPDATEDB 1'],
    [['INJECT', 'GENERATE 5', 'UPDATEDB'], 'FINISHED', 'FINISHED stopped'],
    [['INJECT', 'GENERATE 5', 'FETCH'], 'FINISHED', 'PARSE 1'],
    [['INJECT', 'GENERATE 5', 'FETCH'], 'KILLED', 'PARSE 1'],
    [['INJECT', ...round], 'FINISHED', 'FINISHED stopped'],
    [['INJECT', ...round, 'INVERTLINKS'], 'FINISHED', 'FINISHED stopped'],
    [['INJECT', ...round, 'DEDUP'], 'KILLED', 'FINISHED stopped'],
    [['INJECT', ...round, 'INVERTLINKS', 'DEDUP', 'WEBGRAPH'], 'FINISHED', 'FINISHED stopped'],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE', 'UPDATEDB stopped'], 'FINISHED', 'FINISHED stopped'],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE'], 'FINISHED', 'UPDATEDB 1'],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE'], 'KILLED', 'FINISHED stopped'],
  ])('when stopping closes the round: after %j (last %s) is %s', (words, last, expected) => {
    expect(shown(after(words, { invertLinks: true, dedup: true, ranks: true }, 'STOPPING', last))).toBe(expected);
  });

  it('when KILLING waits for the running child, then ends as KILLED', () => {
    expect(shown(after(['INJECT', 'GENERATE 5', 'FETCH'], {}, 'KILLING', 'KILLED'))).toBe('KILLED stopped');
    expect(shown(after(['INJECT', 'GENERATE 5', 'FETCH'], {}, 'KILLING', 'RUNNING'))).toBe('wait');
  });

  it.each([
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE', 'UPDATEDB stopped']],
    [['PARSE', 'UPDATEDB stopped']],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE stopped']],
    [['PARSE stopped']],
  ])('ends when its PARSE or UPDATEDB was stopped: after %j', (words) => {
    expect(shown(after(words, { leftBatches: ['b9'], dedup: true }))).toBe('FINISHED stopped');
  });

  it.each<JobState>(['FAILED', 'KILLED'])('fails when a child is %s, and names the child', (state) => {
    const step = after(['INJECT', 'GENERATE 5', 'FETCH'], {}, 'RUNNING', state);
    expect(shown(step)).toBe('FAILED failed');
    const failure = state === 'KILLED' ? 'STEP_ABORTED' : 'UNEXPECTED';
    expect(step).toMatchObject({ msg: expect.stringContaining('k-c-FETCH-2') as string, failure });
  });

  it('says that pages wait in a batch only where the killed child leaves one', () => {
    const msg = 'ERROR: k-c-FETCH-2 was killed: its pages wait in their batch';
    expect(after(['INJECT', 'GENERATE 5', 'FETCH'], {}, 'RUNNING', 'KILLED')).toMatchObject({ msg });
    expect(after([...round, 'DEDUP'], { dedup: true }, 'RUNNING', 'KILLED')).toMatchObject({
      msg: 'ERROR: k-c-DEDUP-4 was killed',
    });
  });

  it.each<[Partial<CrawlPlan>, string]>([
    [{ rounds: 1 }, 'OK: 1 round is done'],
    [{ rounds: 2 }, 'OK: all 2 rounds are done'],
    [{ limit: 1 }, 'OK: the limit of 1 page is reached'],
    [{ limit: 10 }, 'OK: the limit of 10 pages is reached'],
  ])('that ends because of %j has the msg %j', (more, msg) => {
    const rounds = Array.from({ length: more.rounds ?? 2 }, () => round).flat();
    expect(after(['INJECT', ...rounds], more)).toMatchObject({ kind: 'end', msg });
  });

  it('counts only rounds that selected pages', () => {
    expect(after(['INJECT', ...round, ...round, 'GENERATE 0'])).toMatchObject({ rounds: 2 });
  });
});

describe('a crawl in strict rounds with index', () => {
  const args = (words: string[], more: Partial<CrawlPlan> = {}) =>
    after(['INJECT', ...words], { index: true, ...more });

  it('has each round record the pages whose documents may change, and index them', () => {
    const due = { documentsDue: true };
    expect(args(round.slice(0, 3))).toMatchObject({ type: 'UPDATEDB', args: { batch: 'b1', ...due } });
    expect(args(round, { dedup: true })).toMatchObject({ type: 'DEDUP', args: due });
    expect(args(round, { invertLinks: true })).toMatchObject({ type: 'INVERTLINKS', args: { batch: 'b1', ...due } });
    expect(args(round)).toMatchObject({ type: 'INDEX', round: 1, args: { ofCrawl: 'updated' } });
    expect(args([...round, 'INDEX'])).toMatchObject({ type: 'CLEAN', round: 1 });
    expect(args([...round, 'INDEX', 'CLEAN'])).toMatchObject({ type: 'GENERATE', round: 2 });
  });

  it('records none without index', () => {
    expect(after(['INJECT', ...round.slice(0, 3)])).toMatchObject({ type: 'UPDATEDB', args: { batch: 'b1' } });
    expect(after(['INJECT', ...round], { dedup: true })).toMatchObject({ type: 'DEDUP', args: {} });
  });
});

describe('batchesLeftBy: the batches that an ended crawl left open', () => {
  it.each<[string[], JobState, string[], string[]]>([
    [[], 'FINISHED', [], []],
    [['INJECT'], 'FAILED', [], []],
    [['INJECT', 'GENERATE 0'], 'FINISHED', [], []],
    [['INJECT', 'GENERATE 5'], 'FAILED', [], ['b1']],
    [['INJECT', 'GENERATE 5', 'FETCH'], 'FAILED', [], ['b1']],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE', 'UPDATEDB'], 'FAILED', [], ['b1']],
    [['INJECT', ...round], 'FINISHED', [], []],
    [['INJECT', ...round, 'DEDUP'], 'FAILED', [], []],
    [['INJECT', ...round, 'GENERATE 5', 'FETCH'], 'KILLED', [], ['b2']],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE', 'UPDATEDB stopped'], 'FINISHED', [], ['b1']],
    [['PARSE', 'UPDATEDB stopped'], 'FINISHED', ['b9'], ['b9']],
    [['INJECT', 'GENERATE 5', 'FETCH', 'PARSE stopped'], 'FINISHED', [], ['b1']],
    [['PARSE stopped'], 'FINISHED', ['b9'], ['b9']],
    // The crawl was itself run again and did not complete the batch.
    [['PARSE'], 'FAILED', ['b9'], ['b9']],
    [['PARSE', 'UPDATEDB'], 'FAILED', ['b9'], ['b9']],
    [['PARSE', 'UPDATEDB', 'INJECT'], 'FAILED', ['b9'], []],
    [['PARSE', 'UPDATEDB', 'INJECT', 'GENERATE 5', 'FETCH'], 'FAILED', ['b9'], ['b1']],
  ])('after %j (%s) with %j are %j', (words, last, leftBatches, expected) => {
    expect(batchesLeftBy({ leftBatches }, children(words, last))).toEqual(expected);
  });
});
