import { describe, expect, it } from 'vitest';
import { figuresOf } from '../../src/commands/crawl/progress.js';
import { fetchFigures } from '../../src/core/job/fetch-figures.js';
import { PROTOCOL_STATUS } from '../../src/core/page/protocol-status.js';
import {
  Speed,
  countsOf,
  currentChild,
  roundCount,
  roundTitle,
  roundWords,
  roundsOf,
  visitCounts,
} from '../../src/dashboard/counts.js';

describe('visitCounts', () => {
  it.each([
    [{}, [0, 0, 0, 0]],
    [{ SUCCESS: 3, NOTMODIFIED: 2 }, [5, 0, 0, 0]],
    [{ MOVED: 1, TEMP_MOVED: 2, ROBOTS_DENIED: 4 }, [0, 0, 3, 4]],
    [{ NOTFOUND: 1, EXCEPTION: 2, GONE: 1 }, [0, 4, 0, 0]],
    [{ pending: 9, NOTFETCHING: 1, fetched_before: 1, left_the_batch: 1 }, [0, 0, 0, 0]],
    [{ 'HitByTimeLimit-Queues': 3, 'HitByTimeLimit-QueueFeeder': 4 }, [0, 0, 0, 0]],
    [{ SUCCESS: 1, host_blocked: 4, host_drained: 39, filtered: 5 }, [1, 0, 0, 0]],
  ])('sums %j to fetched, failed, redirected, denied: %j', (FetcherStatus, [fetched, failed, redirected, denied]) => {
    expect(visitCounts({ FetcherStatus })).toEqual({ fetched, failed, redirected, denied });
  });

  /** Every counter that a FETCH may have in the group FetcherStatus, and one that is new. */
  const counters = [
    ...Object.keys(PROTOCOL_STATUS),
    'pending',
    'HitByTimeLimit-Queues',
    'HitByTimeLimit-QueueFeeder',
    'fetched_before',
    'left_the_batch',
    'host_blocked',
    'host_drained',
    'filtered',
    'robots_deferred',
    'above_exception_threshold',
    'not_stored',
    'new_counter',
  ];

  it.each(counters)('counts %s as the command line and the server do', (name) => {
    const counted = { FetcherStatus: { [name]: 3 } };
    const figures = fetchFigures(counted);
    expect(visitCounts(counted)).toEqual(figures);
    const crawl = { counters: counted, children: [], waitsFor: [] } as unknown as Parameters<typeof figuresOf>[0];
    expect(figuresOf(crawl, 0, 0)).toMatchObject(figures);
  });

  it('counts cut pages as the server does', () => {
    const counted = { FetcherStatus: { SUCCESS: 3 }, Fetcher: { truncated: 2, joined: 1 } };
    expect(visitCounts(counted)).toEqual(fetchFigures(counted));
  });

  it('returns zeros without counters', () => expect(visitCounts(undefined)).toMatchObject({ fetched: 0, failed: 0 }));
});

describe('Speed', () => {
  it('is the rate of the last ten seconds, and null before two samples', () => {
    const speed = new Speed();
    expect(speed.perSecond).toBeNull();
    speed.add(0, 0);
    expect(speed.perSecond).toBeNull();
    speed.add(1_000, 50);
    expect(speed.perSecond).toBe(50);
    for (let second = 2; second <= 20; second++) speed.add(second * 1_000, 50);
    expect(speed.perSecond).toBe(0);
  });
});

describe('rounds and counts of a crawl', () => {
  it('roundsOf lists the newest round first, each with the number of selected pages', () => {
    const job = (type: string, round: number, result: object | null = null) => ({ type, round, result });
    const children = [
      job('INJECT', 0),
      job('GENERATE', 1, { 'generate.count': '12' }),
      job('FETCH', 1),
      job('GENERATE', 2),
    ];
    expect(roundsOf(children).map(({ round, jobs, selected }) => [round, jobs.length, selected])).toEqual([
      [2, 1, null],
      [1, 2, 12],
      [0, 1, null],
    ]);
  });

  it('roundsOf keeps only the newest empty round, and roundCount counts none', () => {
    const generate = (round: number, count: number) => ({
      type: 'GENERATE',
      round,
      state: 'FINISHED',
      result: { 'generate.count': String(count) },
    });
    const children = [generate(1, 5), generate(2, 0), generate(3, 4), generate(4, 0), generate(5, 0)];
    expect(roundsOf(children).map(({ round, number }) => [round, number])).toEqual([
      [5, 2],
      [3, 2],
      [1, 1],
    ]);
    expect(roundCount(children)).toBe(2);
  });

  describe('number only rounds with pages, so that list, tile and line of a crawl agree', () => {
    const generate = (round: number, count: number | null) => ({
      type: 'GENERATE',
      round,
      state: count === null ? 'RUNNING' : 'FINISHED',
      result: count === null ? null : { 'generate.count': String(count) },
    });
    const inject = { type: 'INJECT', round: 0, state: 'FINISHED', result: {} };
    const fetch = (round: number, state = 'RUNNING') => ({ type: 'FETCH', round, state, result: null });
    const titles = (children: object[]) => roundsOf(children).map(roundTitle);

    it('with empty rounds between them, beside an open FETCH', () => {
      const children = [
        inject,
        generate(1, 5),
        fetch(1),
        generate(2, 0),
        generate(3, 1),
        generate(4, 0),
        generate(5, 0),
      ];
      expect(titles(children)).toEqual(['After round 2: nothing due', 'Round 2: 1 page', 'Round 1: 5 pages', 'Seeds']);
      expect(roundWords(children)).toBe('round 2, FETCH');
      expect(roundCount(children)).toBe(2);
    });

    it('without a number for one whose GENERATE runs', () => {
      const children = [inject, generate(1, 5), fetch(1, 'FINISHED'), generate(2, null)];
      expect(titles(children)).toEqual(['Next round', 'Round 1: 5 pages', 'Seeds']);
      expect(roundWords(children)).toBe('next round, GENERATE');
      expect(roundCount(children)).toBe(1);
    });

    it('before the first one, and if there is none', () => {
      expect(roundWords([inject])).toBe('before the first round, INJECT');
      expect(roundWords([inject, generate(1, null)])).toBe('first round, GENERATE');
      expect(titles([inject, generate(1, null)])).toEqual(['First round', 'Seeds']);
      expect(titles([inject, generate(1, 0)])).toEqual(['Nothing due', 'Seeds']);
    });

    it('does not announce another round for steps that follow the last one', () => {
      const index = { type: 'INDEX', round: 2, state: 'RUNNING', result: null };
      expect(titles([inject, generate(1, 5), index])).toEqual(['After round 1', 'Round 1: 5 pages', 'Seeds']);
      expect(roundWords([inject, generate(1, 5), index])).toBe('round 1, INDEX');
      expect(roundWords([inject, generate(1, 5)])).toBe('round 1, GENERATE');
    });

    it('joins the steps that follow a round, as those after the limit of pages is reached', () => {
      const after = (type: string, round: number) => ({ type, round, state: 'FINISHED', result: {} });
      const children = [inject, generate(1, 5), after('UPDATEDB', 2), after('UPDATEDB', 3), after('INDEX', 4)];
      expect(titles(children)).toEqual(['After round 1', 'Round 1: 5 pages', 'Seeds']);
      expect(roundsOf(children)[0]!.jobs).toEqual(children.slice(2));
      expect(titles([...children, generate(5, 1), after('UPDATEDB', 6)])).toEqual([
        'After round 2',
        'Round 2: 1 page',
        'After round 1',
        'Round 1: 5 pages',
        'Seeds',
      ]);
    });

    it('names a batch that an ended crawl left open', () => {
      expect(titles([{ ...inject, type: 'PARSE' }])).toEqual(['Before the first round']);
    });
  });

  it('currentChild returns the open FETCH, else the last job', () => {
    const job = (type: string, state: string) => ({ type, state });
    expect(currentChild([job('FETCH', 'RUNNING'), job('GENERATE', 'RUNNING')])).toMatchObject({ type: 'FETCH' });
    expect(currentChild([job('FETCH', 'FINISHED'), job('UPDATEDB', 'RUNNING')])).toMatchObject({ type: 'UPDATEDB' });
    expect(currentChild(undefined)).toBeUndefined();
  });

  it('countsOf returns counts by status name, none for an unknown crawl', () => {
    expect(countsOf({})).toEqual({});
    expect(countsOf({ status: { 2: { statusValue: 'db_fetched', count: '12' } } })).toEqual({ db_fetched: 12 });
  });
});
