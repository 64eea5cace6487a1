import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { groupOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';
import { type ApiUnderTest, apiInOneProcess } from './api-under-test.js';

/** POST /v1/inspect/schedule: the page as UPDATEDB would write it, and why. */

let api: ApiUnderTest;
beforeAll(async () => {
  api = await apiInOneProcess();
});
afterAll(() => api?.close());

const NOW = 1_700_000_000_000;
const DAY = 86_400;
const ONE_OUTCOME = 'one of outcome.status, outcome.protocol and outcome.httpStatus must be given';

async function ask(page: object, outcome: object, params: Record<string, string> = {}) {
  await request(api.url).post('/config/create').send({ configId: 's', force: true, params });
  return request(api.url).post('/v1/inspect/schedule').send({ page, outcome, confId: 's' });
}
const fetched = { status: 'db_fetched', time: NOW };

describe('POST /v1/inspect/schedule', () => {
  it.each([
    [
      'a fetched page: the same interval',
      { fetchInterval: DAY },
      fetched,
      {},
      { status: 'db_fetched', fetchInterval: DAY, fetchTime: NOW + DAY * 1000 },
    ],
    ['a page without an interval: the default interval', {}, fetched, {}, { fetchInterval: 30 * DAY }],
    [
      'equal signatures: db_notmodified',
      { fetchInterval: DAY, signature: 'aa' },
      { ...fetched, signature: 'aa' },
      {},
      { status: 'db_notmodified', statusCode: 6 },
    ],
    [
      'a page that is gone: an interval 1.5 times as long',
      { fetchInterval: DAY },
      { httpStatus: 404, time: NOW },
      {},
      { status: 'db_gone', fetchInterval: 1.5 * DAY },
    ],
    [
      'a failed visit: one more retry',
      { fetchInterval: 9, retries: 1 },
      { protocol: 'EXCEPTION', time: NOW },
      {},
      { status: 'db_unfetched', retries: 2, fetchTime: NOW + DAY * 1000 },
    ],
    [
      'a visit without a request: no more retries',
      { fetchInterval: DAY, retries: 2 },
      { protocol: 'RETRY', time: NOW },
      {},
      { status: 'db_unfetched', retries: 2, fetchTime: NOW + DAY * 1000 },
    ],
    [
      'the last allowed retry: db_gone',
      { fetchInterval: DAY, retries: 2 },
      { httpStatus: 503, time: NOW },
      {},
      { status: 'db_gone', retries: 3 },
    ],
    [
      'status fetch_redir_perm of 1.x: db_redir_perm',
      { fetchInterval: DAY },
      { status: 'fetch_redir_perm', time: NOW },
      {},
      { status: 'db_redir_perm' },
    ],
    [
      'status code 38 of 1.x: db_notmodified',
      { fetchInterval: DAY },
      { status: 38, time: NOW },
      {},
      { status: 'db_notmodified' },
    ],
    [
      'times in ISO 8601 are accepted',
      { fetchInterval: DAY, fetchTime: '2023-11-14T22:13:20Z' },
      { ...fetched, time: '2023-11-14T22:13:20Z', lastModified: '2023-11-14T00:00:00.000Z' },
      {},
      { prevFetchTime: NOW, modifiedTime: Date.UTC(2023, 10, 14), fetchTime: NOW + DAY * 1000 },
    ],
    [
      'MimeAdaptiveFetchSchedule: rates by content type',
      { fetchInterval: DAY, contentType: 'text/html; charset=utf-8', signature: 'aa' },
      { ...fetched, signature: 'bb' },
      { 'db.fetch.schedule.class': 'MimeAdaptiveFetchSchedule', 'db.fetch.schedule.mime.rules': 'text/html\t0.1\t0.5' },
      { fetchInterval: DAY / 2, status: 'db_fetched', modifiedTime: NOW },
    ],
    [
      'AdaptiveFetchSchedule: bounds by host',
      { fetchInterval: DAY, url: 'http://News.test/a' },
      fetched,
      {
        'db.fetch.schedule.class': 'AdaptiveFetchSchedule',
        'db.fetch.schedule.adaptive.host.rules': 'news.test 60 3600',
      },
      { fetchInterval: 3600 },
    ],
    [
      'changefreq of a sitemap: its interval',
      { metadata: { 'sitemap.changefreq': 'weekly' } },
      fetched,
      {},
      { fetchInterval: 7 * DAY },
    ],
    [
      'metadata fixedInterval: that interval',
      { fetchInterval: DAY, metadata: { fixedInterval: '3600.0' } },
      fetched,
      { 'db.fetch.schedule.class': 'AdaptiveFetchSchedule' },
      { fetchInterval: 3600 },
    ],
    [
      'a page of ten times the score: a tenth of the time',
      { fetchInterval: 30 * DAY, score: 10 },
      fetched,
      { 'db.fetch.schedule.score.exponent': '1' },
      {
        fetchInterval: 30 * DAY,
        fetchTime: NOW + 3 * DAY * 1000,
        why: expect.arrayContaining([
          expect.stringMatching(
            /^The next fetch is 2332800 s earlier: its score 10 exceeds .* divided by 10 \(db\.fetch\.schedule\.score\.exponent\)/,
          ),
        ]),
      },
    ],
    [
      'an interval above the maximum: refetched unconditionally',
      { fetchInterval: 400 * DAY },
      fetched,
      {},
      { status: 'db_unfetched', unconditional: true, fetchInterval: 81 * DAY },
    ],
  ])('%s', async (_, page, outcome, params, expected) => {
    const { status, body } = await ask(page, outcome, params as Record<string, string>);
    expect([status, body.detail]).toEqual([200, undefined]);
    expect(body).toMatchObject(expected);
    expect(body.why.length).toBeGreaterThan(0);
    for (const sentence of body.why) expect(sentence).toMatch(/^[A-Z].*\.$/);
  });

  interface AdaptiveCase {
    n: number;
    interval: number;
    fetchTime: number;
    modifiedTime: number;
    state: 'unknown' | 'modified' | 'notmodified';
    config?: Record<string, number | boolean>;
    out_1x: { fetchInterval: number; fetchTime: number; modifiedTime: number };
  }
  const cases = groupOf<AdaptiveCase>('schedule.adaptive').cases;
  const signatures = { unknown: {}, modified: { signature: 'bb' }, notmodified: { signature: 'aa' } };

  eachCase(cases)('Nutch 1.x, adaptive, case $n: $state after $interval s', async (one) => {
    const { body } = await ask(
      { fetchInterval: one.interval, modifiedTime: one.modifiedTime, signature: 'aa' },
      { status: 2, time: one.fetchTime, ...signatures[one.state] },
      {
        'db.fetch.schedule.class': 'AdaptiveFetchSchedule',
        // The cases test the schedule alone, without UPDATEDB's limit on intervals.
        'db.fetch.interval.max': '2000000000',
        ...Object.fromEntries(Object.entries(one.config ?? {}).map(([name, value]) => [name, String(value)])),
      },
    );
    expect(body).toMatchObject(one.out_1x);
  });

  it.each(['America/Sao_Paulo', 'Asia/Kathmandu'])(
    'reads a time without a zone as UTC on a server in %s',
    async (zone) => {
      vi.stubEnv('TZ', zone);
      const { body } = await ask({ fetchInterval: DAY }, { status: 2, time: '2023-11-14T22:13:20' });
      vi.unstubAllEnvs();
      expect(body).toMatchObject({ fetchTime: NOW + DAY * 1000 });
    },
  );

  it('treats an outcome that is null as missing', async () => {
    const outcomes = { status: 'db_gone', protocol: null, httpStatus: null };
    const { status, body } = await request(api.url).post('/v1/inspect/schedule').send({ page: {}, outcome: outcomes });
    expect([status, body.status]).toEqual([200, 'db_gone']);
  });

  it.each([
    [{ page: {}, outcome: {} }, `${ONE_OUTCOME} (given: none)`],
    [{ page: {}, outcome: { httpStatus: null } }, `${ONE_OUTCOME} (given: none)`],
    [{ page: {}, outcome: { status: 2, httpStatus: 200 } }, `${ONE_OUTCOME} (given: status, httpStatus)`],
    [{ page: {}, outcome: { status: 'db_orphan' } }, 'outcome.status must be what a visit can find'],
    [{ page: {}, outcome: { protocol: 'OK' } }, 'outcome.protocol must be one of SUCCESS'],
    [
      { page: { fetchTime: 'soon' }, outcome: { status: 2 } },
      'page.fetchTime must be milliseconds since 1970 or a time in ISO 8601',
    ],
    [{ page: { fetchTime: '2026-02-30' }, outcome: { status: 2 } }, 'page.fetchTime must be'],
    [{ page: { fetchInterval: -1 }, outcome: { status: 2 } }, 'page.fetchInterval'],
    [{ page: { score: '10' }, outcome: { status: 2 } }, 'page.score must be a number from 0 (given: "10")'],
    [{ page: 7, outcome: { status: 2 } }, 'page must be an object'],
    [{ outcome: { status: 2 } }, 'page is required'],
  ])('%j returns 400 and names what is allowed', async (body, message) => {
    const answer = await request(api.url).post('/v1/inspect/schedule').send(body);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ code: 'FIELDS_INVALID' });
    expect(answer.body.detail).toContain(message);
  });
});
