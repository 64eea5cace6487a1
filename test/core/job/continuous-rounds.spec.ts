import { describe, expect, it } from 'vitest';
import type { Child, CrawlPlan, CrawlStep } from '../../../src/core/job/crawl-plan.js';
import { batchesLeftBy, nextStep } from '../../../src/core/job/crawl-rounds.js';
import type { JobState } from '../../../src/core/job/job-states.js';
import { type Word, at, children, shown } from './continuous-children.js';
import { WITHOUT_LIMITS } from './plans.js';

/** A continuous CRAWL: one FETCH stays open while UPDATEDB and GENERATE add pages to it. */

const plan: CrawlPlan = { ...WITHOUT_LIMITS, parsesWhileFetching: true, continuous: true };

const next = (words: Word[], more: Partial<CrawlPlan> = {}, state: JobState = 'RUNNING'): CrawlStep =>
  nextStep({ plan: { ...plan, ...more }, createdAt: at(0), now: at(100), state, children: children(words) });

const INJECT: Word = ['INJECT'];
const generate = (selected: number, more: Partial<Child> = {}): Word => ['GENERATE', { selected, ...more }];
const running = (more: Partial<Child> = {}): Word => ['FETCH', { state: 'RUNNING', reason: null, ...more }];
const fetched = (more: Partial<Child> = {}): Word => ['FETCH', { visits: { SUCCESS: 5 }, ...more }];
const update: Word = ['UPDATEDB'];
const closing: Word = ['UPDATEDB', { keepsOpen: false }];
/** Long after all children. */
const late = at(100);

describe('nextStep of a continuous crawl', () => {
  it.each<[string, Word[], string]>([
    ['starts with INJECT', [], 'INJECT 0'],
    ['generates its first batch', [INJECT], 'GENERATE 1'],
    ['then fetches it', [INJECT, generate(5)], 'FETCH 1'],
    ['waits while FETCH has enough pages', [INJECT, generate(5), running()], 'wait'],
    ['runs UPDATEDB when FETCH is low on pages', [INJECT, generate(5), running({ lowSince: late })], 'UPDATEDB 1'],
    ['runs UPDATEDB when FETCH has no pages left', [INJECT, generate(5), running({ drySince: late })], 'UPDATEDB 1'],
    [
      'waits for a running UPDATEDB',
      [INJECT, generate(5), running({ lowSince: late }), ['UPDATEDB', { state: 'RUNNING' }]],
      'wait',
    ],
    ['runs GENERATE after UPDATEDB', [INJECT, generate(5), running({ lowSince: late }), update], 'GENERATE 2'],
    [
      'leaves the next batch to the open FETCH',
      [INJECT, generate(5), running({ lowSince: at(2) }), update, generate(7)],
      'wait',
    ],
    [
      'waits while FETCH has pages although none is due',
      [INJECT, generate(5), running({ lowSince: at(2) }), update, generate(0)],
      'wait',
    ],
    [
      'runs UPDATEDB again for pages fetched since the last one',
      [INJECT, generate(5), running({ drySince: late }), update, generate(0)],
      'UPDATEDB 2',
    ],
    [
      'closes FETCH when it has no pages, UPDATEDB has run and none is due',
      [INJECT, generate(5), running({ drySince: at(2) }), update, generate(0)],
      'close',
    ],
    [
      'waits for FETCH to read a batch created after it ran dry',
      [INJECT, generate(5), running({ drySince: at(3.2) }), update, generate(7)],
      'wait',
    ],
    [
      'does not close FETCH before it has read that batch, although none is due',
      [INJECT, generate(5), running({ drySince: at(3.2) }), update, generate(7), update, generate(0)],
      'wait',
    ],
    [
      'waits for a closed FETCH to end',
      [INJECT, generate(5), running({ drySince: at(2), closed: true }), update, generate(0)],
      'wait',
    ],
    ['runs UPDATEDB for all batches after FETCH', [INJECT, generate(5), fetched()], 'UPDATEDB 1'],
    [
      'runs it in a new round if the last batch already had an UPDATEDB',
      [INJECT, generate(5), fetched(), update],
      'UPDATEDB 2',
    ],
    ['runs PARSE first for pages that FETCH left unparsed', [INJECT, generate(5), fetched({ unparsed: 2 })], 'PARSE 1'],
    ['runs GENERATE once more after that', [INJECT, generate(5), fetched(), closing], 'GENERATE 2'],
    [
      'ends when that GENERATE selected nothing',
      [INJECT, generate(5), fetched(), closing, generate(0)],
      'FINISHED done',
    ],
    ['fetches again when it selected pages', [INJECT, generate(5), fetched(), closing, generate(3)], 'FETCH 2'],
  ])('%s', (_, words, step) => expect(shown(next(words))).toBe(step));

  it('keeps batches open while FETCH is open, and closes them after it', () => {
    expect(next([INJECT, generate(5), running({ lowSince: late })])).toMatchObject({ args: { ofCrawl: 'fetched' } });
    expect(next([INJECT, generate(5), fetched()])).toMatchObject({ args: { ofCrawl: 'all' } });
  });

  describe('with ranks', () => {
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
    ])('ranks after the last round: %i steps done, then %s', (n, step) => {
      expect(shown(next(followed(n), { ranks: true }))).toBe(step);
    });

    it('runs INVERTLINKS on all pages', () => {
      expect(next(over, { ranks: true })).toMatchObject({ args: { batch: '-all' } });
      expect(next(followed(1), { ranks: true })).toMatchObject({ args: {} });
    });

    it('does not rank between rounds', () => {
      expect(shown(next([INJECT, generate(5), fetched(), closing], { ranks: true }))).toBe('GENERATE 2');
    });

    it('does not rank if no page was selected', () => {
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
    ])('in state %s with its LINKRANK %s: %s', (state, child, step) => {
      expect(shown(next(followed(3, { state: child }), { ranks: true }, state))).toBe(step);
    });
  });

  describe('with a limit', () => {
    const limit = { limit: 12 };

    it('generates at most the rest of the limit, counting all pages of open batches', () => {
      const open: Word[] = [INJECT, generate(5), running({ lowSince: late }), update];
      expect(next(open, limit)).toMatchObject({ type: 'GENERATE', args: { topN: 7 } });
    });
    it('closes FETCH when its batches reach the limit', () => {
      const open: Word[] = [INJECT, generate(5), running({ lowSince: late }), update, generate(7), update];
      expect(shown(next(open, limit))).toBe('close');
    });
    it('with INDEX beside FETCH goes on with UPDATEDB, and closes FETCH when it has no pages left', () => {
      const full = (fetchJob: Word): Word[] => [INJECT, generate(5), fetchJob, update, generate(7), update];
      // INJECT, GENERATE and FETCH were created at 0, 1 and 2, the last UPDATEDB at 5, after INDEX and CLEAN of the one before.
      const beside: Word[] = [['INDEX'], ['CLEAN']];
      const step = (fetchJob: Word, ...more: Word[]) =>
        shown(next([...full(fetchJob), ...more], { ...limit, index: true }));
      expect(step(running({ lowSince: at(4.9) }))).toBe('INDEX 2');
      expect(step(running({ lowSince: at(4.9) }), ...beside)).toBe('wait');
      expect(step(running({ lowSince: late }))).toBe('UPDATEDB 3');
      expect(step(running({ drySince: at(4.9) }))).toBe('close');
    });
    it('counts the visited pages once FETCH has ended', () => {
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
    it('ends when the limit of visited pages is reached', () => {
      const ended: Word[] = [INJECT, generate(5), fetched({ visits: { SUCCESS: 12 } }), update, generate(7), closing];
      expect(shown(next(ended, limit))).toBe('FINISHED limit');
    });
  });

  it.each<[string, JobState, Word[], string]>([
    ['waits for its FETCH to stop', 'STOPPING', [INJECT, generate(5), running()], 'wait'],
    ['closes its batches after FETCH', 'STOPPING', [INJECT, generate(5), fetched({ reason: 'stopped' })], 'UPDATEDB 1'],
    ['releases a batch that was not fetched', 'STOPPING', [INJECT, generate(5)], 'UPDATEDB 1'],
    [
      'ends as stopped after that',
      'STOPPING',
      [INJECT, generate(5), fetched({ reason: 'stopped' }), closing],
      'FINISHED stopped',
    ],
    ['waits for its FETCH to be killed', 'KILLING', [INJECT, generate(5), running()], 'wait'],
    [
      'leaves its batches open and ends as KILLED',
      'KILLING',
      [INJECT, generate(5), fetched({ state: 'KILLED' })],
      'KILLED stopped',
    ],
  ])('when it is stopped or aborted: %s', (_, state, words, step) => expect(shown(next(words, {}, state))).toBe(step));

  it.each<[string, Word[], string]>([
    [
      'stops FETCH when another step fails',
      [INJECT, generate(5), running(), ['UPDATEDB', { state: 'FAILED' }]],
      'stop',
    ],
    [
      'fails when FETCH has ended after another step failed',
      [INJECT, generate(5), fetched(), ['UPDATEDB', { state: 'FAILED' }]],
      'FAILED failed',
    ],
    [
      'fails when FETCH fails, after the running step',
      [INJECT, generate(5), fetched({ state: 'FAILED' }), update],
      'FAILED failed',
    ],
    [
      'stops FETCH when its GENERATE is stopped by request',
      [INJECT, generate(5), running(), update, generate(0, { reason: 'stopped' })],
      'stop',
    ],
    [
      'ends when the PARSE of what FETCH left unparsed is stopped by request',
      [INJECT, generate(5), fetched({ unparsed: 2 }), ['PARSE', { reason: 'stopped' }]],
      'FINISHED stopped',
    ],
    [
      'ends when its closing UPDATEDB is stopped by request',
      [INJECT, generate(5), fetched(), ['UPDATEDB', { keepsOpen: false, reason: 'stopped' }]],
      'FINISHED stopped',
    ],
    [
      'closes the batches after that',
      [INJECT, generate(5), fetched({ reason: 'stopped' }), update, generate(0, { reason: 'stopped' })],
      'UPDATEDB 2',
    ],
  ])('%s', (_, words, step) => expect(shown(next(words))).toBe(step));

  it('when it is run again, first parses and updates all batches that it left open', () => {
    const left = batchesLeftBy({}, children([INJECT, generate(5), fetched(), update, generate(7)]));
    expect(left).toEqual(['b1', 'b2']);
    expect(next([], { leftBatches: left })).toMatchObject({ type: 'PARSE', args: { batch: '-all' } });
    expect(next([['PARSE', { round: 0 }]], { leftBatches: left })).toMatchObject({
      type: 'UPDATEDB',
      args: { ofCrawl: 'left' },
    });
    expect(batchesLeftBy({}, children([INJECT, generate(5), fetched(), closing]))).toEqual([]);
    const cut: Word = ['UPDATEDB', { keepsOpen: false, reason: 'stopped' }];
    expect(batchesLeftBy({}, children([INJECT, generate(5), fetched(), cut]))).toEqual(['b1']);
  });
});
