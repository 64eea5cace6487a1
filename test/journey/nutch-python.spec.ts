import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../support/database.js';
import { type Server, startServer } from '../support/server.js';
import { type Site, page, startSite } from '../support/site.js';

/**
 * The requests of the best-known client of NutchServer, byte for byte as a server receives them: a JSON body `{}` on GET and
 * DELETE too, its headers, its order of jobs, arguments that accumulate from job to job. It raises on any status but 200 and
 * on a content type that is not exactly `application/json` or `text/plain`.
 */

let db: TestDatabase;
let server: Server;
let site: Site;

/** A small site, three links deep, with two equal pages. */
const link = (...paths: string[]) => paths.map((path) => `<a href="${path}">to ${path}</a>`).join(' ');
beforeAll(async () => {
  site = await startSite({
    '/': page(`<title>home</title>${link('/a', '/b')}`),
    '/a': page(`<title>a</title>${link('/c', '/twin1', '/twin2')}`),
    '/b': page(`<title>b</title>${link('/', '/gone')}`),
    '/c': page(`<title>c</title>${link('/d')}`),
    '/d': page('<title>d</title>the end'),
    '/twin1': page('<title>twin</title>the same'),
    '/twin2': page('<title>twin</title>the same'),
  });
  db = await testDatabase();
  server = await startServer({ databaseUrl: db.url });
});
afterAll(async () => {
  await server?.stop();
  await site?.close();
  await db?.drop();
});

type Verb = 'get' | 'post' | 'put' | 'delete';

interface CallOptions {
  data?: object | string;
  accept?: 'application/json' | 'text/plain';
  forceText?: boolean;
  sendJson?: boolean;
}

/** `Server.call` of the client. */
function call(verb: Verb, path: string, options: CallOptions = {}): Promise<unknown> {
  const { data, accept = 'application/json', forceText = false, sendJson = true } = options;
  const body = sendJson ? JSON.stringify(data ?? {}) : String(data ?? '');
  const headers = {
    'User-Agent': 'python-requests/2.32.3',
    'Accept-Encoding': 'gzip, deflate',
    Accept: accept,
    Connection: 'keep-alive',
    ...(body === '' ? {} : { 'Content-Length': Buffer.byteLength(body) }),
    'Content-Type': sendJson ? 'application/json' : 'text/plain',
  };
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  const sent = request(server.url + path, { method: verb.toUpperCase(), headers }, (response) => {
    const parts: Buffer[] = [];
    response.on('data', (part: Buffer) => parts.push(part));
    response.on('end', () => {
      const text = Buffer.concat(parts).toString();
      const type = response.headers['content-type'];
      if (response.statusCode !== 200)
        return reject(new Error(`Unexpected server response: ${response.statusCode} ${text}`));
      if (forceText || type === undefined || type === 'text/plain') return resolve(text);
      if (type !== 'application/json') return reject(new Error(`Did not understand server response: ${type}`));
      return resolve(JSON.parse(text));
    });
  });
  sent.on('error', reject);
  sent.end(body);
  return promise;
}

interface JobInfo {
  id: string;
  type: string;
  confId: string;
  crawlId: string;
  args: Record<string, unknown>;
  result: Record<string, unknown> | null;
  state: string;
  msg: string;
}

/** `JobClient`: the arguments of a job are sent with the next ones, too. */
class JobClient {
  private readonly args: Record<string, unknown> = {};

  constructor(
    readonly crawlId: string,
    readonly confId: string,
  ) {}

  async create(command: string, args: Record<string, unknown> = {}): Promise<string> {
    Object.assign(this.args, args);
    const { crawlId, confId } = this;
    const info = await call('post', '/job/create', { data: { args: this.args, type: command, crawlId, confId } });
    return (info as JobInfo).id;
  }

  async list(all = false): Promise<string[]> {
    const jobs = (await call('get', '/job')) as JobInfo[];
    return jobs
      .filter((job) => all || (job.crawlId === this.crawlId && job.confId === this.confId))
      .map(({ id }) => id);
  }
}

const infoOf = async (id: string) => (await call('get', `/job/${id}`)) as JobInfo;

const order = ['INJECT', 'GENERATE', 'FETCH', 'PARSE', 'UPDATEDB', 'INVERTLINKS', 'DEDUP', 'INDEX'];

/**
 * `CrawlClient` as it runs by default: polls the job, makes the next one when it has FINISHED, raises at any state but RUNNING.
 */
async function crawl(jobs: JobClient, seedPath: string, rounds: number): Promise<JobInfo[]> {
  const done: JobInfo[] = [];
  let current = await jobs.create('INJECT', { url_dir: seedPath });
  for (let round = 1; round <= rounds;) {
    const info = await infoOf(current);
    if (info.state === 'FINISHED') {
      done.push(info);
      const next = order[order.indexOf(info.type) + 1];
      if (next === undefined) round++;
      if (next !== undefined || round <= rounds) current = await jobs.create(next ?? 'GENERATE');
    } else if (info.state !== 'RUNNING') throw new Error(`Unexpected job state: ${info.state} ${info.msg}`);
    else await new Promise((wake) => setTimeout(wake, 100));
  }
  return done;
}

describe('the Python client nutch-python', () => {
  let jobs: JobClient;
  let seedPath: string;
  let done: JobInfo[];

  it('reads its configuration and sets the agent name by a text body', async () => {
    expect(await call('get', '/config/default')).toHaveProperty(['http.agent.name']);
    expect(await call('put', '/config/default/http.agent.name', { data: 'nutch-python', sendJson: false })).toBe('');
    expect(await call('get', '/config/default/http.agent.name', { forceText: true })).toBe('nutch-python');
  });

  it('creates, reads and lists a configuration', async () => {
    const params = {
      'http.filter.ipaddress.exclude': '',
      'fetcher.server.delay': '0',
      'http.agent.name': 'nutch-python',
    };
    const data = { configId: 'c1', params, force: true };
    expect(await call('post', '/config/create', { data, accept: 'text/plain', forceText: true })).toBe('c1');
    expect(await call('get', '/config/c1')).toMatchObject({
      'http.agent.name': 'nutch-python',
      'db.fetch.interval.max': expect.any(String) as string,
    });
    expect(await call('get', '/config/c1/fetcher.server.delay')).toBe('0');
    expect(await call('get', '/config')).toEqual(['default', 'c1']);
  });

  it('creates a seed list with a string as id', async () => {
    const data = { id: '12345', name: 'k1_seeds', seedUrls: [{ id: 0, url: `${site.url}/` }] };
    seedPath = (await call('post', '/seed/create', { data, accept: 'text/plain' })) as string;
    expect(seedPath).toContain('k1_seeds');
  });

  it('runs INJECT and three rounds, INDEX included, to the end (H7, M11)', async () => {
    jobs = new JobClient('crawl_user_2026-11-21T08_46_33.123456', 'c1');
    done = await crawl(jobs, seedPath, 3);
    const rounds = Array.from({ length: 3 }, () => order.slice(1)).flat();
    expect(done.map(({ type }) => type)).toEqual(['INJECT', ...rounds]);
    expect(done.map(({ state, msg }) => `${state} ${msg}`)).toEqual(done.map(() => 'FINISHED OK'));
    expect(done.every(({ result }) => result?.['result'] === '0')).toBe(true);
  });

  it('lists its own jobs, and all jobs on request', async () => {
    expect((await jobs.list()).sort()).toEqual(done.map(({ id }) => id).sort());
    expect(await new JobClient('another', 'c1').list()).toEqual([]);
    expect((await new JobClient('another', 'c1').list(true)).length).toBe(done.length);
  });

  it('gets the arguments of earlier jobs in the job, without effect', () => {
    expect(done.at(-1)!.args).toMatchObject({ url_dir: seedPath });
  });

  it('reads the statistics: all pages were found, and one of two equal pages is a duplicate', async () => {
    const data = { confId: 'c1', crawlId: jobs.crawlId, type: 'stats', args: {} };
    const stats = (await call('post', '/db/crawldb', { data })) as {
      totalUrls: string;
      status: Record<string, { statusValue: string; count: string }>;
    };
    expect(stats.totalUrls).toBe('8');
    const counts = Object.values(stats.status).map(({ statusValue, count }) => [statusValue, count]);
    expect(Object.fromEntries(counts)).toEqual({
      db_fetched: '5',
      db_duplicate: '1',
      db_gone: '1',
      db_unfetched: '1',
    });
  });

  it('reads the status of the server', async () => {
    expect(await call('get', '/admin')).toMatchObject({ configuration: ['default', 'c1'], runningJobs: [] });
  });

  it('gets false when it stops or aborts a job that has ended', async () => {
    expect(await call('get', `/job/${done[0]!.id}/stop`)).toBe(false);
    expect(await call('get', `/job/${done[0]!.id}/abort`)).toBe(false);
  });

  it('deletes the configuration', async () => {
    await call('delete', '/config/c1');
    await expect(call('get', '/config/c1')).rejects.toThrow('404');
  });

  it('stops the server', async () => {
    expect(await call('post', '/admin/stop', { accept: 'text/plain' })).toMatch(/^Stopping/);
    expect((await server.ended).code).toBe(0);
  });
});
