/** Heavy requests run in processes beside the API: its event loop stays free, and no client can occupy all of them. */
import { createHash } from 'node:crypto';
import { readFileSync, readdirSync } from 'node:fs';
import { request as open } from 'node:http';
import request from 'supertest';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { Scope } from '../../src/conf/credentials.js';
import { PATIENCE_MS } from '../support/patience.js';
import { type Cycle, openCycle } from '../support/cycle.js';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type ApiUnderTest, apiUnderTest, nameCrawler } from './api-under-test.js';

const secretOf = (name: string) => `secret-of-${name}`;
const keyOf = (name: string, scope: Scope) => ({
  name,
  scope,
  sha256: createHash('sha256').update(secretOf(name)).digest(),
});

const poll = { timeout: PATIENCE_MS };

let database: TestDatabase;
let api: ApiUnderTest;
beforeAll(async () => {
  database = await testDatabase();
  const names = ['ann', 'bob', 'cid', 'dan', 'eve'];
  api = await apiUnderTest(
    { apiKeys: [...names.map((name) => keyOf(name, 'run')), keyOf('chief', 'admin')] },
    database,
  );
});
afterAll(async () => {
  await api?.close();
  await database?.drop();
});

/** Processes of this server for heavy requests. */
function processes(): number[] {
  const own = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return own.map(Number).filter((pid) => {
    try {
      const [, after = ''] = readFileSync(`/proc/${pid}/stat`, 'utf8').split(/\) [RSDTtI] /);
      const isOurs = Number(after.split(' ')[0]) === process.pid;
      return isOurs && readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('heavy.main');
    } catch {
      return false;
    }
  });
}

/** Rules that take longer to compile than any test waits. */
const endless = Array.from({ length: 270 }, (_, n) => `+(?i)[\\p{L}\\p{N}]{1,900}${n}`).join('\n');
const scopes = ['inject', 'outlink', 'fetcher', 'crawldb', 'partition', 'linkdb', 'indexer', 'default'];
const pattern = (rule: string) => `<regex><pattern>${rule}</pattern><substitution>x</substitution></regex>`;
const normalizers = `<regex-normalize>${endless
  .split('\n')
  .map((rule) => pattern(rule.slice(1)))
  .join('')}</regex-normalize>`;
const heavyConf = {
  params: {
    'urlfilter.regex.rules': endless,
    ...Object.fromEntries(scopes.map((scope) => [`urlnormalizer.regex.rules.${scope}`, normalizers])),
  },
};

interface OpenRequest {
  status: Promise<{ status: number; body: { code?: string; detail?: string }; wait: string | undefined }>;
  disconnect(): void;
}
const openRequests: OpenRequest[] = [];
afterEach(async () => {
  for (const one of openRequests.splice(0)) one.disconnect();
  await expect.poll(running, poll).toBe(0);
});

/** A request that stays open until it is answered or its client disconnects. */
function openRequest(name: string, path = '/config/create', value: object = heavyConf): OpenRequest {
  const body = JSON.stringify(value);
  const { promise, resolve, reject } = Promise.withResolvers<Awaited<OpenRequest['status']>>();
  const headers = { Authorization: `Bearer ${secretOf(name)}`, 'Content-Type': 'application/json' };
  const call = open(`${api.url}${path}`, { method: 'POST', headers, agent: false }, (answer) => {
    let text = '';
    answer.setEncoding('utf8').on('data', (part: string) => (text += part));
    answer.on('end', () =>
      resolve({
        status: answer.statusCode!,
        body: answer.headers['content-type']?.includes('json') ? JSON.parse(text) : {},
        wait: answer.headers['retry-after'],
      }),
    );
  });
  call.on('error', reject);
  promise.catch(() => undefined);
  call.end(body);
  const one = { status: promise, disconnect: () => void call.destroy() };
  openRequests.push(one);
  return one;
}

const as = (name: string, path: string) =>
  request(api.url)
    .get(path)
    .set('Authorization', `Bearer ${secretOf(name)}`);
const inspect = (name: string) =>
  request(api.url)
    .post('/v1/inspect/robots')
    .set('Authorization', `Bearer ${secretOf(name)}`)
    .send({ url: '/a', robotsTxt: 'User-agent: *\nDisallow: /a\n', agent: 'orbweaver' });
/** Number of heavy requests in a state, from /metrics. */
const requests = async (state: string) => {
  const { text } = await as('chief', '/metrics');
  return Number(new RegExp(`^orbweaver_heavy_requests\\{state="${state}"\\} (\\d+)`, 'm').exec(text)?.[1]);
};
const processesCounted = async () => {
  const { text } = await as('chief', '/metrics');
  return Number(/^orbweaver_heavy_processes (\d+)/m.exec(text)?.[1]);
};
const running = () => requests('at_work');
describe('heavy requests', { timeout: PATIENCE_MS }, () => {
  it('run in another process while the API answers other requests', async () => {
    const work = openRequest('ann');
    let answered = false;
    work.status.then(
      () => (answered = true),
      () => undefined,
    );
    await expect.poll(running, poll).toBe(1);
    expect(processes()).not.toEqual([]);
    for (const path of ['/health/live', '/job', '/config', '/config/default'])
      expect([path, (await as('ann', path)).status]).toEqual([path, 200]);
    expect(answered).toBe(false);
  });

  it('are cancelled when the client disconnects: the process ends and no configuration is created', async () => {
    // Starts the process.
    await inspect('ann');
    const work = openRequest('ann', '/config/create', { configId: 'left', ...heavyConf });
    await expect.poll(running, poll).toBe(1);
    const before = processes();
    work.disconnect();
    await expect.poll(running, poll).toBe(0);
    await expect.poll(() => before.filter((pid) => processes().includes(pid)).length, poll).toBeLessThan(before.length);
    expect((await as('chief', '/config')).body).not.toContain('left');
    expect((await inspect('ann')).status).toBe(200);
  });

  it('are limited to two per client and to a total; admins are served beyond the total', async () => {
    openRequest('ann');
    openRequest('ann');
    await expect.poll(running, poll).toBe(2);
    const third = await inspect('ann');
    expect([third.status, third.body.code, third.headers['retry-after']]).toEqual([
      429,
      'TOO_MANY_HEAVY_REQUESTS',
      '5',
    ]);
    // Requests that wait for a process: two of each key, up to the limit of all keys together.
    const waiting = ['bob', 'bob', 'cid', 'cid', 'dan', 'dan'].map((name) => openRequest(name));
    await expect.poll(() => requests('waiting'), poll).toBe(6);
    expect((await inspect('eve')).status).toBe(429);
    const admin = openRequest('chief', '/v1/inspect/robots', { url: '/a', robotsTxt: '', agent: 'orbweaver' });
    for (const one of [...waiting, ...openRequests]) if (one !== admin) one.disconnect();
    expect((await admin.status).status).toBe(200);
  });

  it('return 503 when their process is killed, and the next request gets another process', async () => {
    const work = openRequest('ann');
    await expect.poll(running, poll).toBe(1);
    const killed = processes();
    for (const pid of killed) process.kill(pid, 'SIGKILL');
    const { status, body, wait } = await work.status;
    expect([status, body.code, wait]).toEqual([503, 'REQUEST_GIVEN_UP', '5']);
    expect(body.detail).toContain('was killed');
    await expect.poll(() => processes().filter((pid) => killed.includes(pid)), poll).toEqual([]);
    // Idle processes were killed as well: the API has noticed it when it counts only the new ones.
    await expect.poll(async () => (await processesCounted()) === processes().length, poll).toBe(true);
    expect((await inspect('ann')).status).toBe(200);
  });

  it('run without the variables of the server, as these may be credentials', async () => {
    await inspect('ann');
    const [pid] = processes();
    const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
      .split('\0')
      .map((variable) => variable.split('=')[0]!);
    expect(Object.keys(process.env)).toContain('VITEST');
    expect(names).toContain('PATH');
    expect(names).not.toContain('VITEST');
  });

  it('in sequence run in the same process', async () => {
    await inspect('ann');
    const before = processes();
    for (let n = 0; n < 5; n++) expect((await inspect('ann')).status).toBe(200);
    expect(processes()).toEqual(before);
  });

  it('do not include bodies of more than 100,000 values, which return 400', async () => {
    const answer = await request(api.url)
      .post('/db')
      .set('Authorization', `Bearer ${secretOf('ann')}`)
      .set('Content-Type', 'application/json')
      .send(`{"a":[${'[],'.repeat(100_000)}[]]}`);
    expect([answer.status, answer.body.code]).toEqual([400, 'BODY_REFUSED']);
    expect(answer.body.detail).toContain('more than 100000 values');
  });

  it('leave no process when the API closes', async () => {
    const own = await apiUnderTest({}, database);
    await request(own.url).post('/v1/inspect/robots').send({ url: '/a', robotsTxt: '', agent: 'x' }).expect(200);
    const before = processes().length;
    await own.close();
    await expect.poll(() => processes().length, poll).toBeLessThan(before);
  });
});

describe('jobs that a process beside the API creates', { timeout: PATIENCE_MS }, () => {
  it('return the same fields for 20,000 seeds as for one', async () => {
    const seed = Array.from({ length: 20_000 }, (_, n) => `http://site.test/${n}`).join('\n');
    const make = (text: string) =>
      request(api.url)
        .post('/job/create')
        .set('Authorization', `Bearer ${secretOf('ann')}`)
        .send({ type: 'INJECT', crawlId: 'many', args: { seed: text } });
    const few = await make('http://site.test/');
    const many = await make(seed);
    expect([many.status, Object.keys(many.body)]).toEqual([200, Object.keys(few.body)]);
    expect(many.headers['orbweaver-made-job']).toBeUndefined();
    const list = await as('ann', `/seed/${many.body.args.seedName}`);
    expect(list.body.total).toBe(20_000);
  });

  it('are created once under an Idempotency-Key', async () => {
    const seed = Array.from({ length: 10_000 }, (_, n) => `http://site.test/${n}`).join('\n');
    const make = () =>
      request(api.url)
        .post('/job/create')
        .set('Authorization', `Bearer ${secretOf('ann')}`)
        .set('Idempotency-Key', 'once')
        .send({ type: 'INJECT', crawlId: 'once', args: { seed } });
    const [first, again] = [await make(), await make()];
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect([again.status, again.text]).toEqual([200, first.text]);
  });

  describe('under an Idempotency-Key', () => {
    let cycle: Cycle;
    let waitingApi: ApiUnderTest;
    beforeAll(async () => {
      cycle = await openCycle();
      waitingApi = await apiUnderTest({}, cycle.db, PATIENCE_MS);
      await nameCrawler(waitingApi);
    });
    afterAll(async () => {
      await waitingApi?.close();
      await cycle?.close();
    });

    const lines = Array.from({ length: 10_000 }, (_, n) => `http://site.test/${n}`);
    const seed = lines.join('\n');
    const post = (path: string, body: { crawlId: string }, accept = 'application/json') =>
      request(waitingApi.url).post(path).set('Idempotency-Key', body.crawlId).set('Accept', accept).send(body);
    const jobsOf = (crawlId: string) => cycle.db.query('select id from job where crawl_id = $1', [crawlId]);
    const claimNext = async () => {
      const message = await cycle.queue.take();
      return message === undefined ? undefined : cycle.tasks.claim(message, 'test');
    };
    const kept = ({ status, text, headers }: request.Response) => [
      status,
      text,
      ...['content-type', 'content-length', 'orbweaver-notice'].map((name) => headers[name]),
    ];

    it.each([
      ['application/json', { type: 'INJECT', crawlId: 'json', args: { seed, odd: 1 } }],
      ['text/plain', { type: 'INJECT', crawlId: 'text', args: { seed, odd: 1 } }],
    ])('are refused until a worker has claimed the first, then answered as that one: %s', async (accept, body) => {
      const first = post('/job/create', body, accept).then((answer) => answer);
      await expect.poll(() => jobsOf(body.crawlId), poll).not.toEqual([]);
      const early = await post('/job/create', body, accept);
      expect([early.status, early.body.code]).toEqual([409, 'REQUEST_RUNNING']);
      await expect.poll(claimNext, poll).toBeDefined();
      const answer = await first;
      expect(answer.status).toBe(200);
      if (accept === 'application/json') expect(answer.body.state).toBe('RUNNING');
      const again = await post('/job/create', body, accept);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(kept(again)).toEqual(kept(answer));
      expect(Object.keys(answer.headers).filter((name) => name.startsWith('orbweaver-'))).toEqual(['orbweaver-notice']);
    });

    it('are answered as the first one: POST /v1/crawls', async () => {
      const body = { crawlId: 'crawl', seeds: lines };
      const answer = await post('/v1/crawls', body);
      expect([answer.status, answer.body.detail]).toEqual([200, undefined]);
      const again = await post('/v1/crawls', body);
      expect(again.headers['idempotency-replayed']).toBe('true');
      expect(kept(again)).toEqual(kept(answer));
    });
  });

  it('are refused with the number of the invalid line of a large seed list', async () => {
    const lines = Array.from({ length: 20_000 }, (_, n) => ({
      url: n === 15_000 ? 'nowhere' : `http://site.test/${n}`,
    }));
    const answer = await request(api.url)
      .post('/seed/create')
      .set('Authorization', `Bearer ${secretOf('ann')}`)
      .send({ name: 'large', seedUrls: lines });
    expect([answer.status, answer.body.code, answer.body.errors[0].field]).toEqual([
      400,
      'SEED_LIST_INVALID',
      'seedUrls[15000].url',
    ]);
  });
});
