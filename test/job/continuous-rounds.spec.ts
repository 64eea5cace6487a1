import { describe, expect, it } from 'vitest';
import type { Child, CrawlPlan, CrawlStep } from '../../src/job/crawl-plan.js';
import { batchLeftBy, nextStep } from '../../src/job/crawl-rounds.js';
import type { StepType } from '../../src/job/job-row.js';
import type { JobState } from '../../src/job/job-states.js';
import { WITHOUT_LIMITS } from './plans.js';

/** A CRAWL that keeps going: one FETCH is open while UPDATEDB and GENERATE bring it further pages. */

const plan: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, continuous: true };

type Word = [type: StepType, more?: Partial<Child>];
const at = (seconds: number): Date => new Date(1_763_600_000_000 + seconds * 1_000);

/** Children in their order; each was made, and ended, a second after the one before it. UPDATEDB keeps the batches open unless it says otherwise. */
function children(words: Word[]): Child[] {
  let round = 0;
  return words.map(([type, more = {}], i) => {
    if (type === 'GENERATE') round++;
    return {
      id: `k-c-${type}-${i}`,
      type,
      round,
      state: 'FINISHED',
      msg: 'OK',
      batch: (more.selected ?? 0) > 0 ? `b${round}` : null,
      selected: 0,
      visits: null,
      reason: 'done',
      createdAt: at(i),
      endedAt: more.state === 'RUNNING' ? null : at(i + 0.5),
      keepsOpen: type === 'UPDATEDB' && round > 0,
      ...more,
    };
  });
}

const next = (words: Word[], more: Partial<CrawlPlan> = {}, state: JobState = 'RUNNING'): CrawlStep =>
  nextStep({ plan: { ...plan, ...more }, createdAt: at(0), state, children: children(words) });
const shown = (step: CrawlStep): string => {
  if (step.kind === 'child') return `${step.type} ${step.round}`;
  return step.kind === 'end' ? `${step.state} ${step.reason}` : step.kind;
};

const INJECT: Word = ['INJECT'];
const generate = (selected: number, more: Partial<Child> = {}): Word => ['GENERATE', { selected, ...more }];
const running = (more: Partial<Child> = {}): Word => ['FETCH', { state: 'RUNNING', reason: null, ...more }];
const fetched = (more: Partial<Child> = {}): Word => ['FETCH', { visits: { SUCCESS: 5 }, ...more }];
const update: Word = ['UPDATEDB'];
const closing: Word = ['UPDATEDB', { keepsOpen: false }];
/** A long time behind all that was made. */
const late = at(100);

describe('a crawl that keeps going', () => {
  it.each<[string, Word[], string]>([
    ['begins with INJECT', [], 'INJECT 0'],
    ['generates its first batch', [INJECT], 'GENERATE 1'],
    ['fetches it', [INJECT, generate(5)], 'FETCH 1'],
    ['waits while FETCH has enough', [INJECT, generate(5), running()], 'wait'],
    [
      'brings in what is fetched when FETCH has little left',
      [INJECT, generate(5), running({ lowSince: late })],
      'UPDATEDB 1',
    ],
    ['and when it has nothing left', [INJECT, generate(5), running({ drySince: late })], 'UPDATEDB 1'],
    [
      'waits for an UPDATEDB or a GENERATE that is under way',
      [INJECT, generate(5), running({ lowSince: late }), ['UPDATEDB', { state: 'RUNNING' }]],
      'wait',
    ],
    ['generates behind it', [INJECT, generate(5), running({ lowSince: late }), update], 'GENERATE 2'],
    [
      'leaves the next batch to the FETCH that is open',
      [INJECT, generate(5), running({ lowSince: at(2) }), update, generate(7)],
      'wait',
    ],
    [
      'goes on while FETCH fetches, though nothing is due',
      [INJECT, generate(5), running({ lowSince: at(2) }), update, generate(0)],
      'wait',
    ],
    [
      'brings in once more what was fetched since',
      [INJECT, generate(5), running({ drySince: late }), update, generate(0)],
      'UPDATEDB 2',
    ],
    [
      'closes FETCH when it has nothing, all of it is brought in, and nothing is due',
      [INJECT, generate(5), running({ drySince: at(2) }), update, generate(0)],
      'close',
    ],
    [
      'waits for FETCH to take up a batch, though it had nothing before that was made',
      [INJECT, generate(5), running({ drySince: at(3.2) }), update, generate(7)],
      'wait',
    ],
    [
      'and does not close it, though nothing is due behind that batch',
      [INJECT, generate(5), running({ drySince: at(3.2) }), update, generate(7), update, generate(0)],
      'wait',
    ],
    [
      'waits for a FETCH that is closed',
      [INJECT, generate(5), running({ drySince: at(2), closed: true }), update, generate(0)],
      'wait',
    ],
    ['closes all batches behind FETCH', [INJECT, generate(5), fetched()], 'UPDATEDB 1'],
    [
      'in a round of its own where that of the last batch had one',
      [INJECT, generate(5), fetched(), update],
      'UPDATEDB 2',
    ],
    ['parses before that what FETCH has left', [INJECT, generate(5), fetched({ unparsed: 2 })], 'PARSE 1'],
    ['looks once more whether anything is due', [INJECT, generate(5), fetched(), closing], 'GENERATE 2'],
    ['and ends when nothing is', [INJECT, generate(5), fetched(), closing, generate(0)], 'FINISHED done'],
    ['or fetches again', [INJECT, generate(5), fetched(), closing, generate(3)], 'FETCH 2'],
  ])('%s', (_, words, step) => expect(shown(next(words))).toBe(step));

  it('keeps batches open while FETCH is, and closes them behind it', () => {
    expect(next([INJECT, generate(5), running({ lowSince: late })])).toMatchObject({ args: { ofCrawl: 'fetched' } });
    expect(next([INJECT, generate(5), fetched()])).toMatchObject({ args: { ofCrawl: 'all' } });
  });

  describe('that ranks pages', () => {
    const over: Word[] = [INJECT, generate(5), fetched(), closing, generate(0)];
    const steps = ['INVERTLINKS', 'WEBGRAPH', 'LINKRANK', 'SCOREUPDATE'] as const;
    const followed = (n: number, last: Partial<Child> = {}): Word[] => [
      ...over,
      ...steps.slice(0, n).map((type, i): Word => [type, i === n - 1 ? last : {}]),
    ];
    it.each([
      [0, 'INVERTLINKS 2'],
      [1, 'WEBGRAPH 2'],
      [2, 'LINKRANK 2'],
      [3, 'SCOREUPDATE 2'],
      [4, 'FINISHED done'],
    ])('does so behind the last round: %i steps of it are done', (n, step) => {
      expect(shown(next(followed(n), { ranks: true }))).toBe(step);
    });

    it('reads the inlinks of all pages', () => {
      expect(next(over, { ranks: true })).toMatchObject({ args: { batch: '-all' } });
      expect(next(followed(1), { ranks: true })).toMatchObject({ args: {} });
    });

    it('does not so in the midst of its rounds', () => {
      expect(shown(next([INJECT, generate(5), fetched(), closing], { ranks: true }))).toBe('GENERATE 2');
    });

    it('does not so where nothing was selected', () => {
      expect(shown(next([INJECT, generate(0)], { ranks: true }))).toBe('FINISHED done');
    });

    it.each<[JobState, JobState, string]>([
      ['RUNNING', 'RUNNING', 'wait'],
      ['STOPPING', 'RUNNING', 'wait'],
      ['KILLING', 'KILLING', 'wait'],
      ['RUNNING', 'FAILED', 'FAILED failed'],
      ['RUNNING', 'KILLED', 'FAILED failed'],
      ['STOPPING', 'FINISHED', 'FINISHED stopped'],
      ['KILLING', 'KILLED', 'KILLED stopped'],
    ])('is %s and its LINKRANK %s: %s', (state, child, step) => {
      expect(shown(next(followed(3, { state: child }), { ranks: true }, state))).toBe(step);
    });
  });

  describe('with a limit', () => {
    const limit = { limit: 12 };

    it('generates no more than is left, all pages of open batches counted', () => {
      const open: Word[] = [INJECT, generate(5), running({ lowSince: late }), update];
      expect(next(open, limit)).toMatchObject({ type: 'GENERATE', args: { topN: 7 } });
    });
    it('closes FETCH when its batches reach it', () => {
      const open: Word[] = [INJECT, generate(5), running({ lowSince: late }), update, generate(7), update];
      expect(shown(next(open, limit))).toBe('close');
    });
    it('counts what FETCH has visited, once it has ended', () => {
      const ended: Word[] = [
        INJECT,
        generate(5),
        fetched({ visits: { SUCCESS: 4, pending: 8 } }),
        update,
        generate(7),
        closing,
      ];
      expect(next(ended, limit)).toMatchObject({ type: 'GENERATE', args: { topN: 8 } });
    });
    it('ends when that many were visited', () => {
      const ended: Word[] = [INJECT, generate(5), fetched({ visits: { SUCCESS: 12 } }), update, generate(7), closing];
      expect(shown(next(ended, limit))).toBe('FINISHED limit');
    });
  });

  it.each<[string, JobState, Word[], string]>([
    ['waits for its FETCH to stop', 'STOPPING', [INJECT, generate(5), running()], 'wait'],
    ['closes its batches', 'STOPPING', [INJECT, generate(5), fetched({ reason: 'stopped' })], 'UPDATEDB 1'],
    ['gives a batch back that nobody began to fetch', 'STOPPING', [INJECT, generate(5)], 'UPDATEDB 1'],
    ['and has stopped', 'STOPPING', [INJECT, generate(5), fetched({ reason: 'stopped' }), closing], 'FINISHED stopped'],
    ['waits for its FETCH to be killed', 'KILLING', [INJECT, generate(5), running()], 'wait'],
    ['leaves its batches open', 'KILLING', [INJECT, generate(5), fetched({ state: 'KILLED' })], 'KILLED stopped'],
  ])('that is stopped or aborted %s', (_, state, words, step) => expect(shown(next(words, {}, state))).toBe(step));

  it.each<[string, Word[], string]>([
    [
      'stops FETCH when another step fails',
      [INJECT, generate(5), running(), ['UPDATEDB', { state: 'FAILED' }]],
      'stop',
    ],
    ['and fails then', [INJECT, generate(5), fetched(), ['UPDATEDB', { state: 'FAILED' }]], 'FAILED failed'],
    [
      'fails when FETCH does, behind the step under way',
      [INJECT, generate(5), fetched({ state: 'FAILED' }), update],
      'FAILED failed',
    ],
    [
      'stops FETCH when somebody stops its GENERATE',
      [INJECT, generate(5), running(), update, generate(0, { reason: 'stopped' })],
      'stop',
    ],
    [
      'and closes the batches',
      [INJECT, generate(5), fetched({ reason: 'stopped' }), update, generate(0, { reason: 'stopped' })],
      'UPDATEDB 2',
    ],
  ])('%s', (_, words, step) => expect(shown(next(words))).toBe(step));

  it('that is run again brings in all the batches that it left', () => {
    const left = batchLeftBy({}, children([INJECT, generate(5), fetched(), update, generate(7)]));
    expect(left).toEqual(['b1', 'b2']);
    expect(next([], { leftBatch: left })).toMatchObject({ type: 'PARSE', args: { batch: '-all' } });
    expect(next([['PARSE', { round: 0 }]], { leftBatch: left })).toMatchObject({
      type: 'UPDATEDB',
      args: { segment: ['b1', 'b2'] },
    });
    expect(batchLeftBy({}, children([INJECT, generate(5), fetched(), closing]))).toBeNull();
  });
});
