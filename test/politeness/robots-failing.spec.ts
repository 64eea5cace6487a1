import { describe, expect, it } from 'vitest';
import type { RobotsCacheOptions } from '../../src/politeness/robots-cache.js';
import { localFailure } from '../../src/net/http-answer.js';
import { page, redirect, reset } from '../support/site.js';
import { closedPort, cycle, site, taskCache, unresolved, useRobots } from './robots-under-test.js';

/** A robots.txt that is unreachable for one task after another: how long its host is deferred (RFC 9309 §2.3.1.4). */

useRobots();

const rules = (text: string) => page(text, { 'content-type': 'text/plain' });

// RFC 9309 §2.3.1.4: after a long time it may count as unavailable. Pages that are only deferred would never be gone.
describe('a robots.txt that stays unreachable over the network (RFC 9309 §2.3.1.4)', () => {
  it.each<[why: string, origin: () => Promise<string>]>([
    [
      'no name server answers',
      async () => {
        unresolved.set('a.test', 'EAI_AGAIN');
        return 'http://a.test';
      },
    ],
    [
      'its redirect leads to a closed port',
      async () => {
        const closed = await closedPort();
        return (await site({ '/robots.txt': redirect(`https://127.0.0.1:${closed}/robots.txt`) })).url;
      },
    ],
  ])('(%s) defers its host for 30 days and db.fetch.retry.max failures, and then allows the pages', async (_, of) => {
    const origin = await of();
    const ask = async () => {
      const { meaning, fetched } = await taskCache({ 'db.fetch.retry.max': '2' }).cache.get(origin);
      expect(fetched).toBe(true);
      return meaning.kind;
    };
    const backBy = (days: number) => {
      const ago = (hours: number) => new Date(Date.now() - hours * 3_600_000);
      return cycle.db.query('update robots set failing_since = $2, fetched_at = $3 where origin = $1', [
        origin,
        ago(24 * days),
        ago(1),
      ]);
    };
    expect(await ask()).toBe('wait');
    await backBy(31);
    expect(await ask()).toBe('wait');
    await backBy(29);
    expect([await ask(), await ask()]).toEqual(['wait', 'wait']);
    await backBy(31);
    expect([await ask(), await ask()]).toEqual(['allow', 'allow']);
  });

  /** A site whose robots.txt answers 503, or resets the connection; requested by a new task each time. */
  async function failingSite(most = 0) {
    let how: 'status' | 'network' = 'status';
    const web = await site((req, res) => (how === 'status' ? page('', {}, 503) : reset)(req, res));
    const ask = async (by: typeof how) => {
      how = by;
      return (await taskCache({ 'db.fetch.retry.max': String(most) }).cache.get(web.url)).meaning.kind;
    };
    /** Moves the stored times that many hours into the past. */
    const later = async (hours: number) => {
      const [row] = await cycle.db.query<Record<'fetched' | 'failing', Date | null>>(
        'select fetched_at as fetched, failing_since as failing from robots',
      );
      const before = (time: Date | null) => time && new Date(time.getTime() - hours * 3_600_000);
      await cycle.db.query('update robots set fetched_at = $1, failing_since = $2', [
        before(row!.fetched),
        before(row!.failing),
      ]);
    };
    const failures = async () =>
      (await cycle.pool.query<{ failures: number }>('select failures from robots')).rows[0]?.failures;
    return { ask, later, failures };
  }

  it('counts from the first network failure: a month of 503 before it does not count', async () => {
    const { ask, later, failures } = await failingSite();
    for (let i = 0; i < 3; i++) await ask('status');
    expect(await failures()).toBe(3);
    await later(31 * 24);
    expect([await ask('network'), await failures()]).toEqual(['wait', 1]);
    await later(31 * 24);
    expect(await ask('network')).toBe('allow');
  });

  it('restarts its count after a status, since the server was reached', async () => {
    const { ask, later, failures } = await failingSite();
    await ask('network');
    await later(31 * 24);
    expect([await ask('status'), await failures()]).toEqual(['wait', 1]);
    expect([await ask('network'), await failures()]).toEqual(['wait', 1]);
  });

  it('counts one failure a day, however many there are', async () => {
    const { ask, later, failures } = await failingSite(3);
    await ask('network');
    await later(31 * 24);
    for (let i = 0; i < 5; i++) expect(await ask('network')).toBe('wait');
    expect(await failures()).toBe(2);
    await later(25);
    expect([await ask('network'), await ask('network'), await failures()]).toEqual(['wait', 'wait', 3]);
    await later(25);
    expect([await ask('network'), await failures()]).toEqual(['allow', 4]);
  });

  it('counts a failure for every day, also with several requests on each', async () => {
    const { ask, later, failures } = await failingSite(3);
    const answers: string[] = [];
    for (let days = 0; days <= 31; days += 1 / 3) {
      answers.push(await ask('network'));
      await later(8);
    }
    expect([answers.indexOf('allow'), await failures()]).toEqual([90, 32]);
  });

  it.each<[why: string, given: () => { more: Partial<RobotsCacheOptions>; cut?: () => void }]>([
    [
      'its redirect leads to a host that we have blocked',
      () => ({
        more: { runExclusive: () => Promise.resolve(localFailure('timeout', 'it leads to an excluded host')) },
      }),
    ],
    [
      'the request is aborted while it waits in its queue',
      () => {
        const cut = new AbortController();
        return { more: { runExclusive: () => Promise.resolve(undefined), signal: cut.signal }, cut: () => cut.abort() };
      },
    ],
  ])('(%s) does not count as a failure, since the cause is ours', async (_why, given) => {
    const there = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') }, { host: '127.0.9.1' });
    const web = await site({ '/robots.txt': redirect(`${there.url}/robots.txt`) });
    const { more, cut } = given();
    await cycle.pool.query(
      `insert into robots (host, origin, fetched_at, expires_at, error, failures, failing_since)
       values ('127.0.0.1', $1, now() - interval '1 day', now(), 'no answer in time', 9, now() - interval '40 days')`,
      [web.url],
    );
    const asking = taskCache({}, more).cache.get(web.url);
    if (cut) setTimeout(cut, 100);
    expect(await asking).toMatchObject({ meaning: { kind: 'wait' } });
    const row = `select failures, now() - failing_since > interval '39 days' as since from robots`;
    expect((await cycle.pool.query(row)).rows).toEqual([{ failures: 9, since: true }]);
    expect(there.log).toEqual([]);
  });

  it('counts one failure a day also after an attempt that failed on our side earlier that day', async () => {
    const closed = await closedPort();
    const web = await site({ '/robots.txt': redirect(`https://127.0.9.1:${closed}/robots.txt`) });
    const ask = (more: object) => taskCache({}, more).cache.get(web.url);
    await cycle.pool.query(
      `insert into robots (host, origin, fetched_at, expires_at, error, failures, failing_since)
       values ('127.0.0.1', $1, now() - interval '2 days', now(), 'no answer in time', 9, now() - interval '20 days 1 hour')`,
      [web.url],
    );
    const failures = async () => (await cycle.pool.query('select failures from robots')).rows;
    // Another task has the queue of the other host until this one is stopped.
    await ask({ runExclusive: () => Promise.resolve(undefined), signal: AbortSignal.timeout(100) });
    expect(await failures()).toEqual([{ failures: 9 }]);
    await ask({});
    expect(await failures()).toEqual([{ failures: 10 }]);
    await ask({});
    expect(await failures()).toEqual([{ failures: 10 }]);
  });

  it('is read as soon as it can be reached', async () => {
    const web = await site({ '/robots.txt': rules('user-agent: *\ndisallow: /') });
    const origin = `http://a.test:${web.port}`;
    const ask = () => taskCache({ 'db.fetch.retry.max': '0' }).cache.get(origin);
    unresolved.set('a.test', 'EAI_AGAIN');
    expect(await ask()).toMatchObject({ meaning: { kind: 'wait' } });
    await cycle.db.query(`update robots set failing_since = '2020-01-01'`);
    expect(await ask()).toMatchObject({ meaning: { kind: 'allow' } });
    unresolved.clear();
    expect(await ask()).toMatchObject({ meaning: { kind: 'rules' } });
  });

  it('keeps its host deferred while the server answers 503', async () => {
    const ill = await site({ '/robots.txt': page('', {}, 503) });
    for (let i = 0; i < 3; i++) {
      const { cache } = taskCache({ 'db.fetch.retry.max': '0' });
      expect(await cache.get(ill.url)).toMatchObject({ meaning: { kind: 'wait' } });
    }
  });
});
