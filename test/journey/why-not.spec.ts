import request from 'supertest';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ApiUnderTest, apiUnderTest } from '../api/api-under-test.js';
import { type Cycle, loopback, openCycle } from '../support/cycle.js';
import { type Params, type Setup, at, questions } from './why-not.questions.js';
import { questionsAboutVisits } from './why-not.visited.questions.js';
import { startWeb } from './why-not.web.js';

/**
 * "Why was this URL not fetched?" The state of each question is set up in a real table, by real steps of a crawl of real sites
 * where possible, and the question is asked over HTTP in one call. The prediction for the next batch is then compared with the
 * GENERATE job itself.
 */

let cycle: Cycle;
let api: ApiUnderTest;
let closeWeb: () => Promise<void>;
beforeAll(async () => {
  closeWeb = await startWeb();
  cycle = await openCycle();
  api = await apiUnderTest({}, cycle.db);
});
afterAll(async () => {
  await api?.close();
  await cycle?.close();
  await closeWeb?.();
});

interface Answer {
  normalized: string | null;
  page: { key: string; status: string } | null;
  robots?: object;
  fetchable: { now: boolean; reasons: { code: string; blocks: boolean; message: string }[] };
}

/** Reasons that GENERATE does not check: FETCH and the egress guard do. */
const beyondGenerate = new Set([
  'AGENT_NAME',
  'PROTOCOL_PLUGIN',
  'INNER_ADDRESS',
  'PORT',
  'ROBOTS_DENIED',
  'ROBOTS_DEFERRED',
]);

let number = 0;

async function newSetup(conf: Params = {}): Promise<Setup> {
  const crawlId = `why${++number}`;
  const options = { crawlId, conf };
  const done = (job: { state: string; msg: string }) => expect(job).toMatchObject({ state: 'FINISHED', msg: 'OK' });
  return {
    crawlId,
    inject: async (...lines) => done(await cycle.inject(lines, {}, options)),
    round: () => cycle.round(options),
    run: async (type, args = {}) => done(await cycle.run(type, { ...args }, options)),
    sql: async (statement) =>
      void (await cycle.pool.query(`${statement} where crawl = (select id from crawl where name = '${crawlId}')`)),
  };
}

async function ask(crawlId: string, conf: Params, body: object): Promise<Answer> {
  const confId = `conf-${crawlId}`;
  const created = await request(api.url)
    .post('/config/create')
    .send({ configId: confId, force: true, params: { ...loopback, ...conf } });
  expect(created.status).toBe(200);
  const answer = await request(api.url)
    .post('/v1/inspect/url')
    .send({ crawlId, confId, ...body });
  expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
  return answer.body as Answer;
}

const marks = async (crawlId: string): Promise<Record<string, string | null>> => {
  const rows = await cycle.db.query<{ key: string; mark: string | null }>(
    `select key, generate_mark as mark from webpage where crawl = (select id from crawl where name = $1)`,
    [crawlId],
  );
  return Object.fromEntries(rows.map(({ key, mark }) => [key, mark]));
};

describe('POST /v1/inspect/url for a URL that is not fetched', () => {
  it('is tested with at least twenty reasons', () => {
    expect(questions.length).toBeGreaterThanOrEqual(20);
  });

  it.each([...questions, ...questionsAboutVisits])('returns the reason when $why', async (question) => {
    const crawl = await newSetup(question.conf);
    await question.setUp(crawl);
    const conf = { ...question.conf, ...question.later };
    const before = await marks(crawl.crawlId);
    const answer = await ask(crawl.crawlId, conf, question.ask());
    expect(answer.fetchable.reasons).toContainEqual(expect.objectContaining(question.reason));
    expect(answer).toMatchObject(question.answer ?? {});
    expect(answer.fetchable.now).toBe(false);
    expect(await marks(crawl.crawlId)).toEqual(before);
    await compareWithGenerate(crawl.crawlId, conf, answer);
  });

  it('returns no reason when it is due, and the next GENERATE selects it', async () => {
    const crawl = await newSetup();
    await crawl.inject(at('/b'));
    const answer = await ask(crawl.crawlId, {}, { url: at('/b'), robots: true });
    expect(answer).toMatchObject({ fetchable: { now: true, reasons: [] }, robots: { allowed: true } });
    await compareWithGenerate(crawl.crawlId, {}, answer);
  });
});

/** GENERATE with the same configuration selects the page exactly when no reason of GENERATE was returned. */
async function compareWithGenerate(crawlId: string, conf: Params, answer: Answer): Promise<void> {
  if (answer.page === null) return;
  const against = answer.fetchable.reasons.filter(({ blocks, code }) => blocks && !beyondGenerate.has(code));
  const job = await cycle.run('GENERATE', { batch: 'held' }, { crawlId, conf });
  expect(job.state).toBe('FINISHED');
  const rows = await cycle.db.query<{ mark: string | null }>(
    `select generate_mark as mark from webpage where crawl = (select id from crawl where name = $1) and key = $2`,
    [crawlId, answer.page.key],
  );
  expect([rows[0]?.mark === 'held', against]).toEqual([against.length === 0, against]);
}
