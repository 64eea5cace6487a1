/**
 * A crawl over many loopback hosts, driven over HTTP, with gates to end it at chosen moments and queries to compare the
 * table with that of an undisturbed crawl.
 */
import pg from 'pg';
import { type Cycle, loopback } from '../support/cycle.js';
import type { TestDatabase } from '../support/database.js';
import { Wait } from '../support/patience.js';
import { type Server, startServer } from '../support/server.js';
import { type Handler, type Site, startSite } from '../support/site.js';

/** The part of a test database that tests use. */
export type Asked = Pick<TestDatabase, 'url' | 'query'>;

export interface Hosts {
  /** One seed URL per page. */
  readonly seeds: string[];
  /** Requests for pages so far, by URL; robots.txt does not count. */
  requests(): Map<string, number>;
  close(): Promise<void>;
}

/** A power of two: contributions are then exact, and their sums the same in any order. */
const LINKS_OF_PAGE = 8;

/**
 * Hosts 127.0.1.1 and up on one port, each with `pages` tiny pages. A page links to pages of its own and of other hosts, to
 * one page that all link to, and to a page that is no seed: eight different pages in all, not itself.
 * @param pauseMs time that each response takes
 * @param mayAnswer resolves when a response may be sent
 */
export async function startHosts(options: {
  hosts: number;
  pages: number;
  pauseMs?: number;
  mayAnswer?: () => Promise<void>;
}): Promise<Hosts> {
  const { hosts, pages, pauseMs = 0, mayAnswer } = options;
  const port = { now: 0 };
  const url = (h: number, path: string) => `http://127.0.1.${(h % hosts) + 1}:${port.now}/${path}`;
  const html = (h: number, i: number): string => {
    const self = url(h, `p${i}`);
    const links = new Set([url(0, 'p0'), url(h + 1, `new${i % 20}`)].filter((link) => link !== self));
    for (let k = 0; links.size < LINKS_OF_PAGE; k++) {
      if (k > 10 * pages) throw new Error(`${hosts} hosts of ${pages} pages have too few targets`);
      const link = url(h + k, `p${(i * 7 + k * 13 + h) % pages}`);
      if (link !== self) links.add(link);
    }
    const anchors = [...links].map((link, k) => `<a href="${link}">link ${k} of ${h} ${i}</a>`).join(' ');
    return `<title>page ${h} ${i}</title><p>This is page ${i} of host ${h}.</p>${anchors}`;
  };
  const answer =
    (h: number): Handler =>
    async (request, response) => {
      const i = /^\/p(\d+)$/.exec(request.url ?? '')?.[1];
      if (i === undefined) return void response.writeHead(404, { 'content-type': 'text/html' }).end('not here');
      if (pauseMs > 0) await pause(pauseMs);
      await mayAnswer?.();
      response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(html(h, Number(i)));
    };
  const sites: Site[] = [];
  for (let h = 0; h < hosts; h++) {
    sites.push(await startSite(answer(h), { host: `127.0.1.${h + 1}`, port: port.now }));
    port.now = sites[0]!.port;
  }
  return {
    seeds: sites.flatMap((_, h) => Array.from({ length: pages }, (_page, i) => url(h, `p${i}`))),
    requests() {
      const counts = new Map<string, number>();
      for (const site of sites) {
        for (const { path } of site.log) {
          if (path !== '/robots.txt') counts.set(site.url + path, (counts.get(site.url + path) ?? 0) + 1);
        }
      }
      return counts;
    },
    close: async () => void (await Promise.all(sites.map((site) => site.close()))),
  };
}

/** JobInfo in responses of the server. */
export interface Job {
  id: string;
  state: string;
  msg: string;
  endedAt: string | null;
  result: {
    result: string;
    reason: string;
    counters: Record<string, Record<string, number>>;
    [more: string]: unknown;
  } | null;
}

/** The program on one database, started again after a test has ended it. */
export class Crawler<Database extends Asked = TestDatabase> {
  private server: Server | undefined;

  constructor(
    readonly db: Database,
    private readonly env: Record<string, string> = {},
  ) {}

  async start(): Promise<Server> {
    this.server = await startServer({ databaseUrl: this.db.url, env: this.env });
    return this.server;
  }

  get running(): Server {
    return this.server!;
  }

  /** kill -9 of the server and all its workers. */
  async kill(): Promise<void> {
    await this.running.kill9('tree');
  }

  async close(): Promise<void> {
    await this.server?.stop();
  }

  /** Returns the body; throws unless the status is 2xx. */
  async call<T>(path: string, body?: unknown, method = body === undefined ? 'GET' : 'POST'): Promise<T> {
    const answer = await fetch(this.running.url + path, {
      method,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }).catch((error: Error) => {
      throw new Error(`${method} ${path}: ${String(error.cause)}\n${this.running.output()}`);
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return (
      text.startsWith('{') || text.startsWith('[') || text === 'true' || text === 'false' ? JSON.parse(text) : text
    ) as T;
  }

  async configure(params: Record<string, string> = {}): Promise<void> {
    await this.call('/config/create', { configId: 'c', force: true, params: { ...loopback, ...params } });
  }

  create(type: string, args: Record<string, unknown> = {}, crawlId = 'k'): Promise<Job> {
    return this.call('/job/create', { type, crawlId, confId: 'c', args });
  }

  job(id: string): Promise<Job> {
    return this.call(`/job/${id}`);
  }

  /** Waits for the end of a job. */
  async ended(id: string): Promise<Job> {
    const wait = new Wait();
    for (;;) {
      const job = await this.job(id);
      if (job.endedAt !== null) return job;
      if (wait.isOver) throw new Error(`${id} is ${job.state}: ${job.msg}\n${this.running.output()}`);
      await pause(50);
    }
  }

  /** Creates a job and waits for its end, which must be FINISHED. */
  async finished(type: string, args: Record<string, unknown> = {}): Promise<Job> {
    const job = await this.ended((await this.create(type, args)).id);
    if (job.state !== 'FINISHED') throw new Error(`${job.id} ${job.state}: ${job.msg}`);
    return job;
  }
}

export const pause = (ms: number): Promise<void> => new Promise((wake) => setTimeout(wake, ms));

/** Repeats a query until its number is at least `min`; returns the number. */
export async function until(db: Asked, statement: string, min: number): Promise<number> {
  const wait = new Wait();
  for (;;) {
    const [found] = await db.query<{ n: string }>(statement);
    if (Number(found?.n) >= min) return Number(found?.n);
    if (wait.isOver) throw new Error(`${statement} stays below ${min}: ${found?.n}`);
    await pause(5);
  }
}

/** A session whose lock makes the server wait at a chosen point. */
export class Gate {
  private constructor(private readonly client: pg.Client) {}

  /** Locks one page: writers of it wait. */
  static async page(db: Asked, condition: string): Promise<Gate> {
    const gate = await Gate.open(db);
    await gate.client.query(`begin`);
    const [page] = (await gate.client.query(`select crawl, host, key from webpage where ${condition} limit 1`)).rows;
    const one = 'select from webpage where crawl = $1 and host = $2 and key = $3 for update';
    const locked = page && (await gate.client.query(one, [page.crawl, page.host, page.key]));
    if (locked?.rowCount !== 1) throw new Error(`no page to lock: ${condition}`);
    return gate;
  }

  /** Tasks wait before they become DONE (trigger of `watch`). */
  static async done(db: Asked): Promise<Gate> {
    const gate = await Gate.open(db);
    await gate.client.query('select pg_advisory_lock(4711)');
    return gate;
  }

  /** Lets `passing` writes of tasks pass; the next ones wait with all statements executed and none committed. */
  static async writes(db: Asked, passing: number): Promise<Gate> {
    const gate = await Gate.open(db);
    await gate.client.query('select pg_advisory_lock(4712)');
    await gate.client.query(`select setval('writes_seen', 1, false)`);
    await gate.client.query('update writes_passing set n = $1', [passing]);
    return gate;
  }

  private static async open(db: Asked): Promise<Gate> {
    const client = new pg.Client({ connectionString: db.url, application_name: 'gate' });
    client.on('error', () => undefined);
    await client.connect();
    return new Gate(client);
  }

  open(): Promise<void> {
    return this.client.end();
  }
}

/** Statements that wait at the gates `writes` and `done`. */
export const AT_GATE = `select count(*) as n from pg_locks l join pg_database d on d.oid = l.database
  where d.datname = current_database() and l.locktype = 'advisory' and not l.granted`;

/** Whether every running task waits at a gate. */
export const ALL_AT_GATE = `select (count(*) = (${AT_GATE}))::int as n from job_task where state = 'RUNNING' having count(*) > 0`;

/** Records each change of state of a job, and makes tasks wait at closed gates. */
export async function watch(db: Asked): Promise<void> {
  await db.query('create table moves (job text, state_before text, state_after text)');
  await db.query(`create function note_move() returns trigger language plpgsql as $$
    begin insert into moves values (new.id, old.state, new.state); return new; end $$`);
  await db.query(`create trigger note_move after update of state on job for each row
    when (old.state <> new.state) execute function note_move()`);
  await db.query('create sequence writes_seen');
  await db.query('create table writes_passing as select 1000000 as n');
  await db.query(`create function wait_at_gate() returns trigger language plpgsql as $$
    begin
      if new.state = 'DONE' then perform pg_advisory_xact_lock_shared(4711);
      elsif nextval('writes_seen') > (select n from writes_passing) then perform pg_advisory_xact_lock_shared(4712);
      end if;
      return new;
    end $$`);
  await db.query(`create trigger wait_at_gate before update on job_task for each row
    when (old.state = 'RUNNING' and (new.state = 'DONE' or new.writes > old.writes)) execute function wait_at_gate()`);
}

export interface Left {
  pages: Record<string, unknown>[];
  inlinks: Record<string, unknown>[];
  links: Record<string, unknown>[];
  hosts: Record<string, unknown>[];
}

/** Rows of a crawl, without values that may differ between two crawls (times, names of batches). */
export async function whatIsLeft(db: Asked): Promise<Left> {
  const pages = await db.query(
    `select key, status, score, cash, spend, distance, source_kind, retries_since_fetch, fetch_interval, signature, title,
            generate_mark is null and fetch_mark is null and parse_mark is null as closed, update_mark is not null as updated
       from webpage order by key`,
  );
  const inlinks = await db.query('select key, source, anchor, score from inlink order by key, source');
  const links = await db.query(
    'select key, outlink_keys, outlink_anchors, content_length, text_length from page_content order by key',
  );
  const hosts = await db.query('select host, n_unfetched, n_fetched, n_gone, n_retry from host order by host');
  return { pages, inlinks, links, hosts };
}

/** One undisturbed round over the seeds, in this process. */
export async function undisturbed(cycle: Cycle, seeds: string[]): Promise<Left> {
  await cycle.inject(seeds);
  await cycle.round();
  return whatIsLeft(cycle.db);
}
