/**
 * A process that answers heavy requests, one at a time, as the API itself would: the same application without a port.
 *
 * Requests are sent to it as HTTP over a socket pair that it inherits. A thread in it ends the process when it uses more memory
 * than allowed, or when its parent has ended (plugin/capped); the parent kills it when a request takes too long, or when no
 * client waits for the answer any more: its event loop, busy with the request, could not receive a message.
 */
import type { ChildProcess } from 'node:child_process';
import { Agent, type IncomingHttpHeaders, request as httpRequest } from 'node:http';
import type { Duplex } from 'node:stream';
import type { Principal } from '../access/api-keys.js';
import type { Params } from '../../core/conf/properties.js';
import { endedByMemory, forkWithMemory, START_MS } from '../../plugin/capped/memory-child.js';

export interface HeavyStart {
  readonly databaseUrl: string;
  /** Content of CONF_FILE as the API has read and checked it. */
  readonly overlay: Params;
  readonly pluginDir: string | undefined;
  /** Port of the API, to which a crawl never connects. */
  readonly port: number;
  readonly waitingJobsPerKey: number;
  readonly logLevel: string;
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

/** The process ended before it answered. */
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

/** The header that tells the process the principal of a request. Only its parent can connect to it. */
export const PRINCIPAL_HEADER = 'orbweaver-principal';
/** The header in which it reports its memory, bytes. */
export const MEMORY_HEADER = 'orbweaver-memory';
/** The file descriptor of its socket. */
export const SOCKET_FD = 4;

/** Its exit code when it cannot reach the database. */
export const NO_DATABASE = 75;

/** Megabytes that a process may use, and megabytes above which it is ended after its answer. */
const MAX_MEGABYTES = 768;
const LARGE_MEGABYTES = 384;
/** Milliseconds for a process whose socket closed to end by itself: its exit code gives the reason. */
const BROKEN_MS = 1_000;
/** Headers that belong to the connection, or that are sent in another form. */
const OWN_HEADERS = [
  'authorization',
  'connection',
  'content-length',
  'expect',
  'host',
  'keep-alive',
  'transfer-encoding',
];

/** The built program: beside this file in the build, in `dist` when this file runs from the sources. */
const PROGRAM = new URL(
  import.meta.url.endsWith('.ts') ? '../../../dist/src/api/heavy/heavy.main.js' : './heavy.main.js',
  import.meta.url,
);

export class HeavyProcess {
  private readonly child: ChildProcess;
  private readonly socket: Duplex;
  private readonly agent: Agent;
  private readonly ready: Promise<void>;
  /** Why it ended; undefined while it is alive. */
  private ended: ProcessEnded | undefined;
  private isKilled = false;

  /** @param onEnd called once, when the process has ended */
  constructor(start: HeavyStart, onEnd: () => void) {
    this.child = forkWithMemory(PROGRAM, MAX_MEGABYTES, {
      env: environment(),
      stdio: ['ignore', 'inherit', 'inherit', 'ipc', 'pipe'],
    });
    this.socket = this.child.stdio[SOCKET_FD] as Duplex;
    this.socket.on('error', () => undefined);
    this.agent = new Agent({ keepAlive: true, maxSockets: 1 });
    this.agent.createConnection = () => this.socket;
    const kill = (): void => void this.child.kill('SIGKILL');
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

  /** Whether it can take a request: it is alive, and was not killed. */
  get isUsable(): boolean {
    return this.ended === undefined && !this.isKilled;
  }

  /** Whether it keeps this process from ending. */
  keepAlive(isRunning: boolean): void {
    const socket = this.socket as Duplex & { ref(): void; unref(): void };
    for (const handle of [this.child, this.child.channel, socket]) {
      if (isRunning) handle?.ref();
      else handle?.unref();
    }
  }

  /** Settled when it has started. Rejects with ProcessEnded. */
  started(): Promise<void> {
    return this.ready;
  }

  /** The answer to a request, and whether the process has become so large that it must be ended. Rejects with ProcessEnded. */
  async answer(request: HeavyRequest): Promise<HeavyAnswer & { isLarge: boolean }> {
    await this.ready;
    const { promise, resolve, reject } = Promise.withResolvers<HeavyAnswer>();
    const failed = (): void => {
      reject(this.ended ?? new ProcessEnded('ended early'));
    };
    // The reason is known from the exit event, which may follow the close of the socket.
    const broken = (): void => {
      if (this.ended !== undefined) return failed();
      this.child.once('exit', failed);
      this.isKilled = true;
      setTimeout(() => this.kill(), BROKEN_MS).unref();
    };
    const { method, url: path } = request;
    const call = httpRequest({ agent: this.agent, method, path, headers: headersOf(request) }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 500, headers: answer.headers, body: Buffer.concat(chunks) }),
      );
      answer.on('error', broken);
    });
    call.on('error', broken);
    call.end(request.body);
    const result = await promise;
    return { ...result, isLarge: Number(result.headers[MEMORY_HEADER]) > LARGE_MEGABYTES * 1_048_576 };
  }

  /** Kills it; the request that it runs fails. */
  kill(): void {
    this.isKilled = true;
    this.child.kill('SIGKILL');
  }
}

function endOf(code: number | null, signal: NodeJS.Signals | null): ProcessEnded {
  if (code === NO_DATABASE) return new ProcessEnded('could not reach the database', true);
  if (endedByMemory(code, signal))
    return new ProcessEnded(`took more than ${MAX_MEGABYTES} MB of memory, or was killed`);
  return new ProcessEnded(`ended (${signal ?? `exit code ${code}`})`);
}

function headersOf({ headers, body, principal }: HeavyRequest): Record<string, string | string[]> {
  const kept = Object.entries(headers).filter(
    (header): header is [string, string | string[]] => header[1] !== undefined && !OWN_HEADERS.includes(header[0]),
  );
  return {
    ...Object.fromEntries(kept),
    host: headers.host ?? 'localhost',
    'content-length': String(body.length),
    [PRINCIPAL_HEADER]: encodeURIComponent(JSON.stringify(principal)),
  };
}

/** No credentials but those of the database, which are sent by message: it parses untrusted pages. */
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
    // With it the process starts sooner.
    'NODE_COMPILE_CACHE',
  ];
  return Object.fromEntries(
    kept.flatMap((name) => (process.env[name] === undefined ? [] : [[name, process.env[name]]])),
  );
}
