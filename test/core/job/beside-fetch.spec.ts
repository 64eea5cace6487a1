import { describe, expect, it } from 'vitest';
import type { Child, CrawlPlan, CrawlStep } from '../../../src/core/job/crawl-plan.js';
import { nextStep } from '../../../src/core/job/crawl-rounds.js';
import type { StepType } from '../../../src/core/job/job-types.js';
import type { JobState } from '../../../src/core/job/job-states.js';
import { type Word, at, children, shown } from './continuous-children.js';
import { WITHOUT_LIMITS } from './plans.js';

/** DEDUP, INDEX and CLEAN of a continuous CRAWL: beside its FETCH, and after its end. */

const plan: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, continuous: true, index: true };

/** @param seconds now; by default the end of the last step */
function next(
  words: Word[],
  more: Partial<CrawlPlan> = {},
  { state = 'RUNNING', seconds }: { state?: JobState; seconds?: number } = {},
): CrawlStep {
  const steps = children(words);
  const ends = steps.map(({ endedAt }) => endedAt?.getTime() ?? 0);
  const now = seconds === undefined ? new Date(Math.max(...ends)) : at(seconds);
  return nextStep({ plan: { ...plan, ...more }, createdAt: at(0), now, state, children: steps });
}

const INJECT: Word = ['INJECT'];
const GENERATE: Word = ['GENERATE', { selected: 5 }];
const NOTHING: Word = ['GENERATE'];
const running = (more: Partial<Child> = {}): Word => ['FETCH', { state: 'RUNNING', reason: null, ...more }];
const fetched: Word = ['FETCH', { visits: { SUCCESS: 10 } }];
const update: Word = ['UPDATEDB'];
const closing: Word = ['UPDATEDB', { keepsOpen: false }];
const open = (type: StepType): Word => [type, { state: 'RUNNING', reason: null }];
const began: Word[] = [INJECT, GENERATE, running({ lowSince: at(2.5) }), update];
const beside = [...began, GENERATE, ['INDEX'], ['CLEAN']] satisfies Word[];

describe('nextStep of a continuous crawl with index, while FETCH goes on', () => {
  it.each<[string, Word[], string]>([
    ['first makes the next batch, so that no host waits', began, 'GENERATE 2'],
    ['then indexes what UPDATEDB has recorded', [...began, GENERATE], 'INDEX 2'],
    ['beside a running GENERATE, too', [...began, open('GENERATE')], 'INDEX 2'],
    ['has nothing to index before the first UPDATEDB', [INJECT, GENERATE, running()], 'wait'],
    ['runs one INDEX at a time', [...began, GENERATE, open('INDEX')], 'wait'],
    ['runs CLEAN after INDEX', [...began, GENERATE, ['INDEX']], 'CLEAN 2'],
    ['does not index again before the next UPDATEDB', beside, 'wait'],
    [
      'goes on with its rounds while INDEX runs',
      [INJECT, GENERATE, running({ lowSince: at(9) }), update, GENERATE, open('INDEX')],
      'UPDATEDB 2',
    ],
    ['pauses between two', [...beside, update, GENERATE], 'wait'],
    ['indexes again after the pause', [...beside, ['UPDATEDB', { endedAt: at(20) }], GENERATE], 'INDEX 3'],
    [
      'pauses for as long as INDEX and CLEAN took',
      [...began, GENERATE, ['INDEX'], ['CLEAN', { endedAt: at(15) }], ['UPDATEDB', { endedAt: at(24) }], GENERATE],
      'wait',
    ],
    [
      'pauses for at most 30 s',
      [...began, GENERATE, ['INDEX'], ['CLEAN', { endedAt: at(100) }], ['UPDATEDB', { endedAt: at(130) }], GENERATE],
      'INDEX 3',
    ],
    ['stops FETCH when INDEX has failed', [...began, GENERATE, ['INDEX', { state: 'FAILED' }]], 'stop'],
    ['stops FETCH when a user has aborted INDEX', [...began, GENERATE, ['INDEX', { state: 'KILLED' }]], 'stop'],
  ])('%s', (_, words, step) => expect(shown(next(words))).toBe(step));

  it('indexes the recorded pages, and has UPDATEDB record them', () => {
    expect(next([...began, GENERATE])).toMatchObject({ args: { ofCrawl: 'updated' } });
    expect(next([INJECT, GENERATE, running({ lowSince: at(9) })])).toMatchObject({
      args: { ofCrawl: 'fetched', documentsDue: true },
    });
  });

  it('indexes what was updated in a pause when that has ended, though no other step has', () => {
    const words = [...beside, update, GENERATE];
    expect(shown(next(words, {}, { seconds: 11 }))).toBe('wait');
    expect(shown(next(words, {}, { seconds: 12 }))).toBe('INDEX 3');
  });

  it('indexes nothing more once it is asked to stop', () => {
    expect(shown(next([...began, GENERATE], {}, { state: 'STOPPING' }))).toBe('wait');
  });

  it('starts no INDEX without index', () => {
    expect(shown(next([...began, GENERATE], { index: false }))).toBe('wait');
  });
});

describe('nextStep of a continuous crawl with dedup', () => {
  const dedup = { dedup: true };
  const series = [...began, GENERATE, ['DEDUP'], ['INDEX'], ['CLEAN']] satisfies Word[];
  it.each<[string, Word[], Partial<CrawlPlan>, string]>([
    ['runs DEDUP beside FETCH before it indexes', [...began, GENERATE], dedup, 'DEDUP 2'],
    ['then indexes', [...began, GENERATE, ['DEDUP']], dedup, 'INDEX 2'],
    ['then deletes the documents of duplicates', [...began, GENERATE, ['DEDUP'], ['INDEX']], dedup, 'CLEAN 2'],
    ['pauses between two series', [...series, update, GENERATE], dedup, 'wait'],
    ['goes on after the pause', [...series, ['UPDATEDB', { endedAt: at(20) }], GENERATE], dedup, 'DEDUP 3'],
    ['does without index', [...began, GENERATE], { ...dedup, index: false }, 'DEDUP 2'],
    ['runs nothing else then', [...began, GENERATE, ['DEDUP']], { ...dedup, index: false }, 'wait'],
    ['stops FETCH when DEDUP has failed', [...began, GENERATE, ['DEDUP', { state: 'FAILED' }]], dedup, 'stop'],
  ])('%s', (_, words, more, step) => expect(shown(next(words, more))).toBe(step));

  it('has DEDUP record the pages that it restores, if they are to be indexed', () => {
    expect(next([...began, GENERATE], dedup)).toMatchObject({ args: { documentsDue: true } });
    expect(next([...began, GENERATE], { ...dedup, index: false })).toMatchObject({ args: {} });
  });
});

describe('nextStep of a continuous crawl with index, after its rounds', () => {
  const ended: Word[] = [INJECT, GENERATE, fetched, update, GENERATE, ['INDEX'], ['CLEAN'], closing, NOTHING];
  it.each<[string, Word[], string]>([
    ['closes its batches while an INDEX runs', [INJECT, GENERATE, fetched, open('INDEX')], 'UPDATEDB 1'],
    ['waits for that INDEX', [INJECT, GENERATE, fetched, open('INDEX'), closing, NOTHING], 'wait'],
    ['indexes what is left', ended, 'INDEX 3'],
    ['then runs CLEAN', [...ended, ['INDEX', { round: 3 }]], 'CLEAN 3'],
    ['and ends', [...ended, ['INDEX', { round: 3 }], ['CLEAN', { round: 3 }]], 'FINISHED done'],
    ['fails with its INDEX', [...ended, ['INDEX', { round: 3, state: 'FAILED' }]], 'FAILED failed'],
    ['ends without them when nothing was selected', [INJECT, NOTHING], 'FINISHED done'],
  ])('%s', (_, words, step) => expect(shown(next(words))).toBe(step));

  it('inverts the links of all pages before DEDUP and INDEX', () => {
    const words: Word[] = [INJECT, GENERATE, fetched, closing, NOTHING];
    const more = { invertLinks: true, dedup: true };
    expect(next(words, more)).toMatchObject({ type: 'INVERTLINKS', args: { batch: '-all', documentsDue: true } });
    expect(shown(next([...words, ['INVERTLINKS']], more))).toBe('DEDUP 2');
    expect(shown(next([...words, ['INVERTLINKS'], ['DEDUP']], more))).toBe('INDEX 2');
  });

  it('indexes all pages again where ranks have changed', () => {
    const ranks = ['INVERTLINKS', 'WEBGRAPH', 'LINKRANK', 'SCOREUPDATE'] as const;
    const words: Word[] = [INJECT, GENERATE, fetched, closing, NOTHING, ...ranks.map((type): Word => [type])];
    expect(next(words, { ranks: true })).toMatchObject({ type: 'INDEX', args: { batch: '-all' } });
  });
});

describe('what earlier runs have left to INDEX', () => {
  const first = (more: Partial<CrawlPlan>): unknown => next([], more);
  it('is indexed first: the recorded pages', () => {
    expect(first({ documentsDue: true })).toMatchObject({ type: 'INDEX', round: 0, args: { ofCrawl: 'updated' } });
    expect(first({ documentsDue: true, index: false })).toMatchObject({ type: 'INJECT' });
    expect(first({})).toMatchObject({ type: 'INJECT' });
  });

  it('is recorded by the UPDATEDB of batches left open, also in a run without index', () => {
    const words: Word[] = [['PARSE', { round: 0 }]];
    for (const index of [true, false])
      expect(next(words, { leftBatches: ['b1'], documentsDue: true, index })).toMatchObject({
        type: 'UPDATEDB',
        args: { batch: 'b1', documentsDue: true },
      });
  });
});
