/**
 * One crawl under faults, and checks of its result.
 *
 * All seeds of a run share the processes, the database and the web: each crawls the web again under a crawl id of its own,
 * which takes seconds where new processes would take many. The undisturbed crawl to compare with is in the same database.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { type SyntheticWeb, startSyntheticWeb } from '../../bench/synthetic-web/start.mjs';
import { JobQueue } from '../../src/job/job-queue.js';
import { loopback } from '../support/cycle.js';
import { Wait } from '../support/patience.js';
import { type Fault, type Rounds, type Strike, losesTasks, scheduleOf, lineOf } from './chaos-schedule.js';
import { Fleet } from './chaos-fleet.js';
import { ChaosSearches } from './chaos-searches.js';
import { type Complaints, forget, standing, verdict, watchMoves } from './oracle.js';

export interface ChaosSize {
  hosts: number;
  /** Of each host: those from number 20 on may be copies of others. */
  pages: number;
  /** The server and `processes` - 1 workers. */
  processes: number;
  /** Faults in one crawl. */
  faults: number;
}

export interface Outcome {
  seed: number;
  schedule: string[];
  complaints: Complaints;
  seconds: number;
  /** Requests for pages beyond one for each. */
  repeats: number;
  /** Faults at named points that were carried out. */
  obeyed: string[];
  /** Searches during the crawl that had a result. */
  searches: number;
  log: string;
}

/** Seconds between two requests to a host. */
const DELAY = 0.02;
const THREADS = 30;
/** Longest time that a crawl may take after its last fault, on an idle machine. */
const ENDS_WITHIN_MS = 90_000;
/** Longest time until the server resumes a crawl, on an idle machine: it may be starting after a kill. */
const RESUMES_WITHIN_MS = 40_000;
/** Pages that the writer of one attempt may buffer: it could buffer more, but not in these crawls within its half second. */
const GATHERED = 192;
/** Pages that one attempt may have requested and not yet written: in progress, and in the writer. */
const UNWRITTEN = THREADS + GATHERED;

interface HostStats {
  maxConcurrent: number;
  minGapMs: number | null;
}

/** An undisturbed crawl in strict rounds, and the totals of its searches. */
interface Undisturbed {
  crawl: number;
  totals: (number | undefined)[];
}

export class Chaos {
  private readonly undisturbed = new Map<boolean, Undisturbed>();

  private constructor(
    private readonly size: ChaosSize,
    readonly fleet: Fleet,
    private readonly web: SyntheticWeb,
  ) {}

  /** Starts all processes and crawls the web without faults, once without and once with DEDUP. */
  static async open(size: ChaosSize): Promise<Chaos> {
    const { hosts, pages } = size;
    const web = await startSyntheticWeb({ hosts, pages, size: 4, links: '5-15', dups: 0.3, log: 1, cache: 256 });
    await web.truth();
    const chaos = new Chaos(size, await Fleet.open(size.processes), web);
    await chaos.crawlUndisturbed().catch(async (error: Error) => {
      const log = chaos.fleet.takeLog();
      await chaos.close();
      throw new Error(`${error.message}\n${log}`);
    });
    return chaos;
  }

  private async crawlUndisturbed(): Promise<void> {
    await watchMoves(this.query);
    for (const rounds of ['strict', 'open'] as const)
      await this.call('/config/create', {
        configId: rounds,
        force: true,
        params: {
          ...loopback,
          'fetcher.server.delay': String(DELAY),
          'fetcher.threads.per.queue': '1',
          'crawl.rounds.strict': String(rounds === 'strict'),
        },
      });
    for (const dedup of [false, true]) {
      const name = dedup ? 'undisturbed-dedup' : 'undisturbed';
      const { job, crawl } = await this.begin(name, 'strict', dedup);
      const complaints = await this.end(job, crawl, Promise.resolve());
      const [found] = await this.query<{ fetched: number; copies: number }>(
        `select count(*)::int as fetched, (count(*) filter (where status = 7))::int as copies
           from webpage where crawl = $1 and status in (2, 7)`,
        [crawl],
      );
      const { fetched, copies } = found!;
      const all = this.size.hosts * this.size.pages;
      const searches = this.searchesOf({ id: crawl, name, dedup });
      await searches.end();
      const quiet = await searches.totals();
      complaints.push(...quiet.complaints);
      if (complaints.length > 0 || fetched < all || copies > 0 !== dedup)
        throw new Error(
          `the crawl ${name} has ${fetched} of ${all} pages, ${copies} duplicates: ${complaints.join('\n')}`,
        );
      this.undisturbed.set(dedup, { crawl, totals: quiet.totals });
    }
  }

  async close(): Promise<void> {
    await this.fleet.close();
    await this.web.close();
  }

  /**
   * Crawls under the faults of a seed, in strict rounds when it is odd, with DEDUP in two of four. Never rejects because of the product: its defects are
   * in the complaints.
   */
  async run(seed: number): Promise<Outcome> {
    const { fleet, size } = this;
    const rounds = seed % 2 === 1 ? 'strict' : 'open';
    const dedup = seed % 4 >= 2;
    const strikes = scheduleOf(seed, { processes: size.processes, most: size.faults, rounds });
    const begun = performance.now();
    fleet.takeLog();
    const before = fleet.orders.carriedOut.length;
    await this.web.reset();
    await this.web.maxStallMs();
    const name = `seed${seed}-${Math.round(begun)}`;
    const { job, crawl } = await this.begin(name, rounds, dedup);
    const searches = this.searchesOf({ id: crawl, name, dedup });
    const striking = this.strikeAll(strikes, job);
    const complaints = await this.end(job, crawl, striking);
    await striking;
    await fleet.heal();
    const undisturbed = this.undisturbed.get(dedup)!;
    complaints.push(...(await this.searched(searches, undisturbed.totals)));
    complaints.push(
      ...(await verdict(this.query, crawl, { undisturbed: undisturbed.crawl, inOrder: rounds === 'strict', dedup })),
    );
    const repeats = await this.repeats(complaints);
    const obeyed = fleet.orders.carriedOut.slice(before);
    const mayRepeat = strikes.filter(({ fault }) => mayRepeatPages(fault)).length;
    if (repeats > mayRepeat * UNWRITTEN)
      complaints.push(`${repeats} pages were asked for again after ${mayRepeat} faults`);
    complaints.push(...(await this.politeness()));
    if (complaints.length === 0) await forget(this.query, crawl);
    const seconds = (performance.now() - begun) / 1000;
    const { answered } = searches;
    const schedule = strikes.map(lineOf);
    return { seed, schedule, complaints, seconds, repeats, obeyed, searches: answered, log: fleet.takeLog() };
  }

  private searchesOf(crawl: { id: number; name: string; dedup: boolean }): ChaosSearches {
    return new ChaosSearches(() => this.fleet.url, this.query, crawl);
  }

  /** Errors of the searches during the crawl, and of their results now. */
  private async searched(searches: ChaosSearches, expected: Undisturbed['totals']): Promise<Complaints> {
    await searches.end();
    const { totals, complaints } = await searches.totals();
    if (String(totals) !== String(expected)) complaints.push(`found ${totals}, undisturbed ${expected}`);
    return [...searches.complaints, ...complaints];
  }

  readonly query = <Row extends Record<string, unknown>>(text: string, values?: unknown[]): Promise<Row[]> =>
    this.fleet.query<Row>(text, values);

  private async call<T>(path: string, body: unknown, key?: string): Promise<T> {
    const headers = { 'content-type': 'application/json', ...(key !== undefined && { 'idempotency-key': key }) };
    const answer = await fetch(this.fleet.url + path, { method: 'POST', headers, body: JSON.stringify(body) });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${text}`);
    return (/^[{t]/.test(text) ? JSON.parse(text) : text) as T;
  }

  /** The server may still suffer from faults of the crawl before: the request is repeated under one idempotency key. */
  private async begin(crawlId: string, rounds: Rounds, dedup: boolean): Promise<{ job: string; crawl: number }> {
    const request = { crawlId, confId: rounds, seeds: await this.web.seeds(), threads: THREADS, index: true, dedup };
    const made = await this.untilAnswered(() => this.call<{ id: string }>('/v1/crawls', request, crawlId));
    const [row] = await this.query<{ crawl: number }>('select crawl from job where id = $1', [made.id]);
    return { job: made.id, crawl: row!.crawl };
  }

  private async untilAnswered<T>(ask: () => Promise<T>): Promise<T> {
    for (let attempts = 0; ; attempts++) {
      try {
        return await ask();
      } catch (error) {
        if (attempts === 100) throw error;
        await sleep(200);
      }
    }
  }

  /** Waits for the end of a crawl, checking the invariants that must hold at any time. */
  private async end(job: string, crawl: number, faults: Promise<void>): Promise<Complaints> {
    const complaints = new Set<string>();
    let wait: Wait | undefined;
    void faults.then(() => (wait = new Wait(ENDS_WITHIN_MS)));
    for (let looks = 0; ; looks++) {
      const [row] = await this.query<{ state: string; msg: string }>('select state, msg from job where id = $1', [job]);
      if (looks % 10 === 0) for (const one of await standing(this.query, crawl)) complaints.add(one);
      if (row!.state === 'FINISHED') break;
      if (!['IDLE', 'RUNNING'].includes(row!.state) || wait?.isOver) {
        complaints.add(`the crawl is ${row!.state}: ${row!.msg}`);
        break;
      }
      await sleep(50);
    }
    return [...complaints];
  }

  private async strikeAll(strikes: readonly Strike[], job: string): Promise<void> {
    const lasting: Promise<void>[] = [];
    for (const { after, fault } of strikes) {
      await sleep(after);
      if ((await this.stateOf(job)) !== 'RUNNING') break;
      lasting.push(
        this.strike(fault, job).catch((error: Error) => void console.warn(`${fault.kind}: ${error.message}`)),
      );
    }
    await Promise.all(lasting);
  }

  private async stateOf(job: string): Promise<string | undefined> {
    const [row] = await this.query<{ state: string }>('select state from job where id = $1', [job]);
    return row?.state;
  }

  /** Resolves when the fault is over. */
  private async strike(fault: Fault, job: string): Promise<void> {
    const { fleet } = this;
    const proxy = 'who' in fault ? fleet.proxies[fault.who]! : fleet.proxies[0]!;
    switch (fault.kind) {
      case 'kill':
        return fleet.kill(fault.who);
      case 'kill the worker of the server':
        return fleet.killWorkerOfServer();
      case 'terminate':
        return fleet.terminate(fault.who);
      case 'stop and continue':
        return this.stopAndContinue(fault);
      case 'reset':
        return proxy.reset();
      case 'half-open':
        return proxy.halfOpen();
      case 'refuse':
      case 'black hole':
        if (fault.kind === 'refuse') proxy.refuse();
        else proxy.blackHole();
        await sleep(fault.ms);
        return proxy.heal();
      case 'latency':
        proxy.delay(fault.each);
        await sleep(fault.ms);
        return proxy.heal();
      case 'cut at commit':
        return void proxy.cutAtCommit(fault.times);
      case 'restart PostgreSQL':
        return fleet.restartPostgres(fault.how);
      case 'leases expire':
        return fleet.expireLeases();
      case 'deliver twice':
        return this.deliverTwice(job);
      case 'pause the crawl':
        return this.pauseCrawl(job, fault.ms);
      case 'order':
        return fleet.orders.order(fault.point, fault.action, fault.after);
    }
  }

  /** It is continued in time, whether or not its leases have expired: it may lock the rows of its tasks. */
  private async stopAndContinue({ who, ms, expire }: { who: number; ms: number; expire: boolean }): Promise<void> {
    const { fleet } = this;
    fleet.halt(who, 'SIGSTOP');
    const continued = sleep(ms).then(() => fleet.halt(who, 'SIGCONT'));
    await Promise.all([continued, expire && fleet.expireLeases(who)]);
  }

  private async deliverTwice(job: string): Promise<void> {
    const tasks = await this.query<{ job: string; task: string }>(
      'select t.job, t.id as task from job_task t join job j on j.id = t.job where j.parent = $1',
      [job],
    );
    const queue = await JobQueue.open(this.fleet.pool, { maintain: false, onError: () => undefined });
    await queue.send(this.fleet.pool, tasks);
    await queue.close();
  }

  /** The server may be unavailable; then nothing is paused. A paused crawl is resumed in any case. */
  private async pauseCrawl(job: string, ms: number): Promise<void> {
    const paused = await this.call(`/v1/crawls/${job}/pause`, {}).catch(() => undefined);
    await sleep(ms);
    for (const wait = new Wait(RESUMES_WITHIN_MS); ; await sleep(200)) {
      const refused = await this.call(`/v1/crawls/${job}/resume`, {}).then(
        () => undefined,
        (error: Error) => error,
      );
      if (refused === undefined || (await this.stateOf(job)) !== 'RUNNING') return;
      if (wait.isOver && !paused) return;
      if (wait.isOver) throw new Error(`the crawl cannot be resumed: ${refused.message}`);
    }
  }

  /** Requests for pages beyond the first of each; complains of pages that were never requested. */
  private async repeats(complaints: Complaints): Promise<number> {
    const log = await this.web.log();
    const counts = new Map<string, number>();
    for (const line of log) {
      const [, host, , path = ''] = line.split('\t');
      if (/^\/(s\d+\/p\d+\.html)?$/.test(path)) counts.set(`${host}${path}`, (counts.get(`${host}${path}`) ?? 0) + 1);
    }
    const all = this.size.hosts * this.size.pages;
    if (counts.size < all) complaints.push(`${all - counts.size} pages were never asked for`);
    return [...counts.values()].reduce((sum, n) => sum + n - 1, 0);
  }

  /** By the clock of the web, less the stalls of its own event loop. */
  private async politeness(): Promise<Complaints> {
    const { hosts } = (await this.web.stats()) as { hosts: Record<string, HostStats> };
    const stall = await this.web.maxStallMs();
    return Object.entries(hosts).flatMap(([host, { maxConcurrent, minGapMs }]) => [
      ...(maxConcurrent > 1 ? [`host ${host} had ${maxConcurrent} requests at once`] : []),
      ...(minGapMs !== null && minGapMs < DELAY * 1000 - stall
        ? [`host ${host} was asked again after ${minGapMs} ms`]
        : []),
    ]);
  }
}

/** Whether pages may have been fetched and not written, so that they are fetched again. */
function mayRepeatPages(fault: Fault): boolean {
  const harmless: readonly Fault['kind'][] = ['latency', 'deliver twice', 'pause the crawl'];
  return losesTasks(fault) || !harmless.includes(fault.kind);
}
