import { describe, expect, it } from 'vitest';
import { type Ended, cureOf, failureCodes } from '../../../src/core/job/failure-codes.js';

/** The cure of a job that did not do its work. */

const job = (more: Partial<Ended>): Ended => ({
  type: 'FETCH',
  state: 'FINISHED',
  crawlId: 'k1',
  confId: 'c1',
  result: { result: '0', reason: 'done', counters: {} },
  ...more,
});
const failed = (failure?: string) =>
  job({ state: 'FAILED', result: { result: '-1', reason: 'failed', ...(failure && { failure }), counters: {} } });
const crawl = (reason: string, counters: Record<string, Record<string, number>>) =>
  job({ type: 'CRAWL', result: { result: '0', reason, counters } });

describe('cureOf', () => {
  it.each(failureCodes)('returns a distinct sentence for %s', (code) => {
    const cure = cureOf(failed(code));
    expect(cure).toMatchObject({ code, message: expect.stringMatching(/^[A-Z].{20,}\.$/) });
    const others = failureCodes.filter((other) => other !== code).map((other) => cureOf(failed(other))?.message);
    expect(others).not.toContain(cure?.message);
  });

  it('names property, configuration and call for AGENT_NAME_MISSING', () => {
    expect(cureOf(failed('AGENT_NAME_MISSING'))).toEqual({
      code: 'AGENT_NAME_MISSING',
      message:
        'Say who crawls: set http.agent.name in configuration "c1" (PUT /config/c1/http.agent.name), then run it again.',
      property: 'http.agent.name',
      again: true,
    });
  });

  it.each([undefined, 'A_CODE_OF_TOMORROW'])('returns UNEXPECTED for a failure with code %j', (code) => {
    expect(cureOf(failed(code))).toMatchObject({ code: 'UNEXPECTED', again: true });
  });

  it.each(['BATCH_UNKNOWN', 'SEEDS_MISSING', 'ARGS_INVALID'])(
    'does not suggest to run the job again for %s',
    (code) => {
      expect(cureOf(failed(code))).toMatchObject({ again: false, property: null });
    },
  );

  it.each(['IDLE', 'RUNNING', 'STOPPING', 'KILLING', 'FINISHED'] as const)('returns null for a %s job', (state) => {
    expect(cureOf(job({ state, result: null }))).toBeNull();
    expect(cureOf(job({ state }))).toBeNull();
  });

  it.each(['CRAWL', 'FETCH', 'GENERATE'] as const)('suggests to run an aborted %s again', (type) => {
    expect(cureOf(job({ type, state: 'KILLED' }))).toMatchObject({ code: 'ABORTED', again: true });
  });

  it.each([
    ['SEEDS_REFUSED', 'done', { injector: { urls_filtered: 3 } }],
    ['ROBOTS_DENIED', 'done', { injector: { urls_injected: 2 }, FetcherStatus: { ROBOTS_DENIED: 2 } }],
    ['NOTHING_FETCHED', 'done', { FetcherStatus: { ROBOTS_DENIED: 2, EXCEPTION: 1 } }],
    ['NOTHING_FETCHED', 'nothing-fetched', { FetcherStatus: { pending: 5 } }],
    ['NOTHING_FETCHED', 'rounds', { FetcherStatus: { GONE: 5 } }],
    ['HOSTS_LEFT_ALONE', 'hosts-left-alone', { Generator: { HOST_BLOCKED: 5 } }],
    ['NOTHING_DUE', 'done', { injector: { urls_injected: 1 }, Generator: {} }],
    [null, 'done', { injector: { urls_filtered: 3, urls_injected: 1 }, FetcherStatus: { SUCCESS: 1, EXCEPTION: 9 } }],
    [null, 'done', { FetcherStatus: { NOTMODIFIED: 4 } }],
    [null, 'stopped', { injector: { urls_injected: 1 } }],
    [null, 'limit', { FetcherStatus: { MOVED: 1 } }],
  ])('returns %s for a finished crawl (%s, %j)', (code, reason, counters) => {
    expect(cureOf(crawl(reason, counters as Record<string, Record<string, number>>))?.code ?? null).toBe(code);
  });

  const words = (counters: Record<string, Record<string, number>>) => cureOf(crawl('done', counters))?.message;

  it('names the most frequent reason of the failures of NOTHING_FETCHED, of equal ones the first by name', () => {
    const FetcherFailures = { 'HTTP 503': 2, 'refused: the connection was refused': 5, 'HTTP 404': 1 };
    expect(words({ FetcherStatus: { EXCEPTION: 8, above_exception_threshold: 14 }, FetcherFailures })).toMatch(
      /^No page could be fetched \(22 failed; most frequent reason: refused: the connection was refused\)\. POST /,
    );
    expect(words({ FetcherStatus: { GONE: 2 }, FetcherFailures: { 'HTTP 410': 1, 'HTTP 400': 1 } })).toMatch(
      /^No page could be fetched \(2 failed; most frequent reason: HTTP 400\)\. /,
    );
  });

  it('names no reason that is not known', () => {
    expect(words({ FetcherStatus: { EXCEPTION: 3 } })).toMatch(/^No page could be fetched \(3 failed\)\. POST /);
  });
});
