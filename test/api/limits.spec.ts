import { createHash } from 'node:crypto';
import { type ArgumentsHost, Logger } from '@nestjs/common';
import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TokenBuckets } from '../../src/core/queueing/token-buckets.js';
import { ApiDescription } from '../../src/api/openapi/api-description.js';
import { ProblemFilter } from '../../src/api/problem.filter.js';
import { oneLine } from '../../src/api/request/one-line.js';
import type { Scope } from '../../src/conf/credentials.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { apiUnderTest, nameCrawler, rawRequest } from './api-under-test.js';

/** Request rates, quotas of waiting jobs (reliability A6), and what unauthenticated input writes into the log. */

const secretOf = (scope: Scope) => `secret-of-the-${scope}-key`;
const key = (scope: Scope) => ({ scope, sha256: createHash('sha256').update(secretOf(scope)).digest() });
const bearer = (scope: Scope) => ({ Authorization: `Bearer ${secretOf(scope)}` });

let database: TestDatabase;
beforeAll(async () => (database = await testDatabase()));
afterAll(() => database?.drop());

describe('rate limits and job quotas', () => {
  it('a client above its request rate gets 429 with Retry-After, /health/live still 200', async () => {
    const slow = await apiUnderTest({ requestRate: 1 }, database);
    const answers = [];
    for (let n = 0; n < 4; n++) answers.push(await rawRequest(slow.port, 'GET /config'));
    const live = await rawRequest(slow.port, 'GET /health/live');
    await slow.close();
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 429, 429]);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect(live.status).toBe(200);
  });

  it('each key has its own token bucket, separate from that of its address', async () => {
    const slow = await apiUnderTest({ requestRate: 1, apiKeys: [key('read'), key('run')] }, database);
    const call = async (headers: Record<string, string>) =>
      (await rawRequest(slow.port, 'GET /config', headers)).status;
    const read = [await call(bearer('read')), await call(bearer('read')), await call(bearer('read'))];
    const run = [await call(bearer('run')), await call(bearer('run')), await call(bearer('run'))];
    const nobody = [await call({}), await call({}), await call({})];
    await slow.close();
    expect([read, run, nobody]).toEqual([
      [200, 200, 429],
      [200, 200, 429],
      [401, 401, 429],
    ]);
  });

  it('a key is limited to waitingJobsPerKey, counting steps of its crawls but not jobs of other keys', async () => {
    const named = (name: string, scope: Scope) => ({ ...key(scope), name });
    const api = await apiUnderTest(
      { waitingJobsPerKey: 2, apiKeys: [named('ann', 'run'), named('eve', 'admin')] },
      database,
    );
    const create = (scope: Scope, type = 'GENERATE', args = {}) =>
      request(api.url).post('/job/create').set(bearer(scope)).send({ type, crawlId: 'quota', args });
    await nameCrawler({ database });
    const first = await create('run');
    await create('run', 'CRAWL', { seed: 'http://site.test/' });
    const refused = await create('run');
    const other = await create('admin');
    await request(api.url).post(`/job/${first.body.id}/abort`).set(bearer('run'));
    const again = await create('run');
    await api.close();
    expect([first.status, refused.status, other.status, again.status]).toEqual([200, 429, 200, 200]);
    expect(refused.body).toMatchObject({
      code: 'TOO_MANY_JOBS',
      detail: expect.stringContaining('2 jobs of this key'),
    });
    expect(refused.headers['retry-after']).toBe('10');
  });

  it('more than a thousand waiting jobs return 429 until some have ended', async () => {
    const busy = await apiUnderTest({}, database);
    const create = () => request(busy.url).post('/job/create').send({ type: 'GENERATE', crawlId: 'queue', args: {} });
    const first = await create();
    await database.query(
      `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args)
       select 'copy-' || n, nextval('job_number'), crawl, crawl_id, conf_id, conf_hash, type, args
         from job, generate_series(1, 1000) n where id = $1`,
      [first.body.id],
    );
    const refused = await create();
    await database.query(`delete from job where id like 'copy-%'`);
    const again = await create();
    await busy.close();
    expect([first.status, refused.status, again.status]).toEqual([200, 429, 200]);
    expect([refused.body.code, refused.headers['retry-after']]).toEqual(['TOO_MANY_JOBS', '10']);
  });

  it('an admin key may create jobs beyond a thousand waiting ones', async () => {
    const busy = await apiUnderTest({ waitingJobsPerKey: 5_000, apiKeys: [key('run'), key('admin')] }, database);
    const create = (scope: Scope) =>
      request(busy.url).post('/job/create').set(bearer(scope)).send({ type: 'GENERATE', crawlId: 'queue', args: {} });
    const first = await create('run');
    await database.query(
      `insert into job (id, number, crawl, crawl_id, conf_id, conf_hash, type, args)
       select 'copy-' || n, nextval('job_number'), crawl, crawl_id, conf_id, conf_hash, type, args
         from job, generate_series(1, 1000) n where id = $1`,
      [first.body.id],
    );
    const answers = [await create('run'), await create('admin')];
    await database.query(`delete from job where id like 'copy-%'`);
    await busy.close();
    expect(answers.map(({ status }) => status)).toEqual([429, 200]);
  });

  it('a token bucket refills with time up to the burst', () => {
    const buckets = new TokenBuckets(10, 20);
    const take = (now: number) =>
      Array.from({ length: 30 }, () => buckets.take('a', now)).filter((wait) => wait === 0).length;
    expect([take(0), take(500), take(10_000)]).toEqual([20, 5, 20]);
  });

  it('clients have separate token buckets, of which the oldest is evicted', () => {
    const buckets = new TokenBuckets(1, 1, 2);
    expect(['a', 'b', 'a', 'c', 'b'].map((client) => buckets.take(client, 0))).toEqual([0, 0, 1, 0, 0]);
  });
});

describe('the log (reliability B6)', () => {
  it.each([
    ['line\r\nbreaks', String.raw`line\r\nbreaks`],
    ['\u001b[31mred', String.raw`\u001b[31mred`],
    ['line\u2028and\u2029paragraph', String.raw`line\u2028and\u2029paragraph`],
    ['\u202eturned', String.raw`\u202eturned`],
    ['del\u007f c1\u009b', String.raw`del\u007f c1\u009b`],
    ['nul\0 lone\ud800', String.raw`nul\u0000 lone\ud800`],
    ['x'.repeat(1_048_576), `${'x'.repeat(2_048)}…`],
  ])('escapes text %$ to one line of at most 2 KiB', (given, written) => expect(oneLine(given)).toBe(written));

  it('contains one line for an internal error whose message has line breaks', async () => {
    const lines: string[] = [];
    const logger = { log: () => undefined, warn: () => undefined, error: (line: string) => lines.push(line) };
    const filter = new ProblemFilter(new ApiDescription());
    Logger.overrideLogger(logger);
    const answer = { headersSent: false, setHeader: () => undefined, end: () => undefined };
    const context = { switchToHttp: () => ({ getResponse: () => answer, getRequest: () => ({}) }) };
    filter.catch(new Error('no such\r\nGET /admin 200\u001b[2J'), context as unknown as ArgumentsHost);
    Logger.overrideLogger(false);
    expect(lines).toHaveLength(1);
    for (const letter of ['\r', '\n', '\u001b']) expect(lines[0]).not.toContain(letter);
    expect(lines[0]).toContain(String.raw`no such\r\nGET /admin 200\u001b[2J`);
  });
});

describe('the number of configurations', () => {
  it('is limited also with `force`; the last are reserved for admins, existing ones may be changed', async () => {
    const api = await apiUnderTest({ apiKeys: [key('run'), key('admin')] }, database);
    const create = async (scope: Scope, configId: string, force: boolean) => {
      const asked = request(api.url).post('/config/create').set(bearer(scope));
      return (await asked.send({ configId, params: { 'http.agent.name': 'bot' }, force })).status;
    };
    const fill = (from: number, to: number) =>
      database.query(
        `insert into crawl_conf (id, params) select 'fill-' || n, '{}' from generate_series($1::int, $2) n`,
        [from, to],
      );
    await fill(1, 9_900);
    const byRun = [
      await create('run', 'more', false),
      await create('run', 'more', true),
      await create('run', 'fill-1', true),
    ];
    const byAdmin = [await create('admin', 'more', false)];
    await fill(9_901, 9_999);
    byAdmin.push(await create('admin', 'beyond', true), await create('admin', 'default', true));
    await database.query('delete from crawl_conf');
    await api.close();
    expect([byRun, byAdmin]).toEqual([
      [400, 400, 200],
      [200, 400, 200],
    ]);
  });
});
