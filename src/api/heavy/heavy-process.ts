/**
 * A process that answers heavy requests, one at a time, as the API itself would: the same application without a port.
 *
 * Requests reach it over a pair of sockets that it was born with, as HTTP: whatever a route answers, it answers. A thread in it
 * ends it when it takes more memory than it may, or when its parent is gone (plugin/capped); its parent ends it when a request takes too
 * long, or when nobody waits for the answer any more: a loop that is at work hears of nothing else.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import { fileURLToPath } from 'node:url';
import type { Principal } from '../access/api-keys.js';
import type { LogLevel } from '../../conf/env.js';

export interface HeavyStart {
  readonly databaseUrl: string;
  readonly confFile: string | undefined;
  readonly pluginDir: string | undefined;
  /** Port of the API, which is never connected to by a crawl. */
  readonly port: number;
  readonly waitingJobsPerKey: number;
  readonly logLevel: LogLevel | string;
}

export interface HeavyRequest {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
  readonly principal: Principal;
}

export interface HeavyAnswer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

/** The process ended before it had answered. */
export class ProcessEnded extends Error {
  override readonly name = 'ProcessEnded';

  /** @param isWithoutDatabase it could not reach the database when it started */
  constructor(
    message: string,
    readonly isWithoutDatabase = false,
  ) {
    super(message);
  }
}

/** The header by which the process is told who makes a request. Nobody but its parent can reach it. */
export const PRINCIPAL_HEADER = 'orbweaver-principal';
/** The header by which it tells of its memory, bytes. */
export const MEMORY_HEADER = 'orbweaver-memory';
/** The number of its socket among its files. */
export const SOCKET_FD = 4;

/** Its exit code when it cannot reach the database. */
export const NO_DATABASE = 75;

/** Megabytes that a process may take in all, and those after which it is let go when it has answered. */
const MAX_MEGABYTES = 768;
const LARGE_MEGABYTES = 384;
/** Of the memory of the process, the part that its heap may fill; the rest is code, buffers and stacks. */
const HEAP_FRACTION = 0.6;
/** Milliseconds to start the process on a busy machine. */
const START_MS = 60_000;
/** Milliseconds for a process whose socket broke to end by itself, which tells why. */
const BROKEN_MS = 1_000;
/** Headers that belong to the connection, or to what the process is told otherwise. */
const OWN_HEADERS = [
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
];

/** The program stands beside this file once built; run from the sources it is that of the build. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/api/heavy/heavy.main.js' : './heavy.main.js',
  import.meta.url,
);

export class HeavyProcess {
  private readonly child: ChildProcess;
  private readonly socket: Duplex;
  private readonly agent: Agent;
  private readonly ready: Promise<void>;
  /** Why it ended; undefined while it lives. */
  private ended: ProcessEnded | undefined;
  private isKilled = false;

  /** @param onEnd called once, when the process has ended */
  constructor(start: HeavyStart, onEnd: () => void) {
    this.child = fork(fileURLToPath(PROGRAM), [String(MAX_MEGABYTES), String(process.pid)], {
      env: environment(),
      execArgv: [
        `--max-old-space-size=${Math.round(MAX_MEGABYTES * HEAP_FRACTION)}`,
        '--max-semi-space-size=8',
        '--no-warnings',
      ],
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    });
    this.socket = this.child.stdio[SOCKET_FD] as Duplex;
    this.socket.on('error', () => undefined);
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.agent.createConnection = () => this.socket;
    const kill = (): void => void this.child.kill('SIGKILL');
    process.on('exit', kill);
    this.ready = new Promise((resolve, reject) => {
      const late = setTimeout(kill, START_MS);
      this.child.once('message', () => {
        clearTimeout(late);
        resolve();
      });
      const gone = (why: ProcessEnded): void => {
        if (this.ended !== undefined) return;
        this.ended = why;
        clearTimeout(late);
        process.off('exit', kill);
        this.socket.destroy();
        reject(why);
        onEnd();
      };
      this.child.once('exit', (code, signal) => gone(endOf(code, signal)));
      this.child.on('error', (error) => gone(new ProcessEnded(`cannot be run: ${error.message}`)));
    });
    this.ready.catch(() => undefined);
    this.child.send(start, (error) => error && kill());
  }

  /** Whether it can be asked: it lives, and nobody has ended it. */
  get isUsable(): boolean {
    return this.ended === undefined && !this.isKilled;
  }

  /** Whether it keeps this process from ending. */
  keepAlive(isAtWork: boolean): void {
    const socket = this.socket as Duplex & { ref(): void; unref(): void };
    for (const one of [this.child, this.child.channel, socket]) {
      if (isAtWork) one?.ref();
      else one?.unref();
    }
  }

  /** Settled when it has started. Rejects with ProcessEnded. */
  started(): Promise<void> {
    return this.ready;
  }

  /** The answer to a request, and whether the process is to be let go: it has become large. Rejects with ProcessEnded. */
  async answer(asked: HeavyRequest): Promise<HeavyAnswer & { isLarge: boolean }> {
    await this.ready;
    const { promise, resolve, reject } = Promise.withResolvers<HeavyAnswer>();
    const failed = (): void => {
      reject(this.ended ?? new ProcessEnded('broke off'));
    };
    // Why it ended is known when its end is, which may come after that of its socket.
    const broken = (): void => {
      if (this.ended !== undefined) return failed();
      this.child.once('exit', failed);
      this.isKilled = true;
      setTimeout(() => this.kill(), BROKEN_MS).unref();
    };
    const { method, url: path } = asked;
    const call = httpRequest({ agent: this.agent, method, path, headers: headersOf(asked) }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part: Buffer) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: Buffer.concat(parts) }),
      );
      answer.on('error', broken);
    });
    call.on('error', broken);
    call.end(asked.body);
    const given = await promise;
    return { ...given, isLarge: Number(given.headers[MEMORY_HEADER]) > LARGE_MEGABYTES * 1_048_576 };
  }

  /** Ends it at once; what is at work in it fails. */
  kill(): void {
    this.isKilled = true;
    this.child.kill('SIGKILL');
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): ProcessEnded {
  if (code === NO_DATABASE) return new ProcessEnded('could not reach the database', true);
  // How V8, the watching thread and the kernel end a process that takes too much memory.
  if (['SIGKILL', 'SIGABRT', 'SIGTRAP', 'SIGILL'].includes(signal ?? '') || code === 134)
    return new ProcessEnded(`took more than ${MAX_MEGABYTES} MB of memory, or was killed`);
  return new ProcessEnded(`ended (${signal ?? `exit code ${code}`})`);
}

function headersOf({ headers, body, principal }: HeavyRequest): Record<string, string | string[]> {
  const own = Object.entries(headers).filter(
    (header): header is [string, string | string[]] => header[1] !== undefined && !OWN_HEADERS.includes(header[0]),
  );
  return {
    ...Object.fromEntries(own),
    host: headers.host ?? 'localhost',
    'content-length': String(body.length),
    [PRINCIPAL_HEADER]: encodeURIComponent(JSON.stringify(principal)),
  };
}

/** No credentials but those of the database, which come by message: it reads pages of strangers. */
function environment(): NodeJS.ProcessEnv {
  const kept = [
    'PATH',
    'TZ',
    'LANG',
    'LC_ALL',
    'HOME',
    'TMPDIR',
    'NODE_EXTRA_CA_CERTS',
    'SSL_CERT_FILE',
    // Where it is set, the process loads sooner.
    'NODE_COMPILE_CACHE',
  ];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
