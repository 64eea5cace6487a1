import { describe, expect, it } from 'vitest';
import { earlierEvents } from '../../src/dashboard/state-changes.js';

/** State changes and warnings of jobs that are not among the last events of their log. */

const at = (second: number): string => new Date(second * 1_000).toISOString();
const job = (id: string, startedAt: number | null, endedAt: number | null = null) => ({
  id,
  state: endedAt === null ? 'RUNNING' : 'FINISHED',
  msg: 'OK',
  startedAt: startedAt === null ? null : at(startedAt),
  endedAt: endedAt === null ? null : at(endedAt),
});
const event = (kind: string, jobId: string, second: number, state?: string) => ({
  kind,
  jobId,
  time: at(second),
  data: { state },
});
const jobs = [job('CRAWL-1', 1), job('INJECT-2', 2, 4), job('FETCH-3', 5), job('FETCH-4', null)];
const words = (events: object[]) =>
  earlierEvents(jobs, [], events).map(
    ({ jobId, data }: { jobId: string; data: { state: string } }) => `${jobId} ${data.state}`,
  );

describe('earlierEvents', () => {
  it('are all of them, oldest first, where the last events are of progress', () => {
    expect(words([event('progress', 'FETCH-3', 60), event('progress', 'FETCH-3', 61)])).toEqual([
      'CRAWL-1 RUNNING',
      'INJECT-2 RUNNING',
      'INJECT-2 FINISHED',
      'FETCH-3 RUNNING',
    ]);
  });

  it('are those before the first of the last events', () => {
    expect(words([event('progress', 'INJECT-2', 3)])).toEqual(['CRAWL-1 RUNNING', 'INJECT-2 RUNNING']);
  });

  it('are not those that the last events have, though a job begins before its event is written', () => {
    const read = [event('state', 'CRAWL-1', 1, 'RUNNING'), event('state', 'INJECT-2', 2, 'RUNNING')];
    expect(words(read)).toEqual([]);
  });

  it('are none where the log was not read', () => {
    expect(words([])).toEqual([]);
  });

  it('have the warnings before them between the state changes, by time', () => {
    const warning = (id: string, second: number) => ({ ...event('warning', 'FETCH-3', second), id });
    const warnings = [warning('9', 3), warning('99', 30), warning('101', 31)];
    const events = earlierEvents(jobs, warnings, [{ ...event('progress', 'FETCH-3', 40), id: '100' }]);
    const found = events.map(({ kind, time }: { kind: string; time: string }) => `${kind} ${Date.parse(time) / 1_000}`);
    expect(found).toEqual(['state 1', 'state 2', 'warning 3', 'state 4', 'state 5', 'warning 30']);
  });
});
