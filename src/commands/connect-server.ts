/** Options that name a server, and the connection to it or to a temporary one. */
import { Orbweaver, OrbweaverUnreachable } from '../../clients/typescript/src/orbweaver.js';
import { DEFAULT_PORT } from '../conf/env-defaults.js';
import { COMMAND_EXIT, CommandError, usageError } from './exit-codes.js';
import { Interrupts } from './interrupts.js';
import { requireDatabase } from './kept-database.js';
import type { LocalServerOptions } from './local-server.js';
import { log, type Terminal } from './terminal.js';
import { httpUrl, type Options } from './parse-args.js';

/** The server of a command: the named one, or a temporary one of its own. Both are used through the client. */
export interface ConnectedServer {
  readonly client: Orbweaver;
  readonly url: string;
  /** Started by this command. */
  readonly isOwn: boolean;
  /** Ends our own server; does nothing to another. */
  release(): Promise<void>;
}

export const serverOptions = {
  server: { type: 'string' },
  data: { type: 'string' },
} as const satisfies Options;

export interface ServerWords {
  readonly server?: string | undefined;
  readonly data?: string | undefined;
}

/** The address of `orbweaver serve` with its usual settings. */
export function defaultServer({ variables }: Terminal): string {
  return `http://127.0.0.1:${variables['PORT'] || DEFAULT_PORT}`;
}

/** The server that the words or ORBWEAVER_SERVER name. @throws StartError `environment` if it is no URL */
export function namedServer(command: string, words: ServerWords, { variables }: Terminal): string | undefined {
  if (words.server !== undefined && words.data !== undefined) {
    throw usageError(command, '--data is for a server of our own; it does not go with --server');
  }
  if (words.server !== undefined) return httpUrl(command, '--server', words.server);
  if (words.data !== undefined) return undefined;
  const url = variables['ORBWEAVER_SERVER'];
  return url ? httpUrl(command, 'ORBWEAVER_SERVER', url) : undefined;
}

/** Connects to a server, with the key of ORBWEAVER_KEY. @throws CommandError `server` if it does not respond */
export async function reach(url: string, terminal: Terminal): Promise<ConnectedServer> {
  const key = terminal.variables['ORBWEAVER_KEY'];
  const client = new Orbweaver({ url, ...(key && { key }), onNotice: noticeTo(terminal) });
  try {
    await client.health.live({ timeout: 10_000 });
  } catch (error) {
    if (!(error instanceof OrbweaverUnreachable)) throw error;
    const why = error.cause ?? error.message;
    throw new CommandError(COMMAND_EXIT.server, `no server at ${url} (${why}): start one with npm start`);
  }
  return { client, url, isOwn: false, release: async () => undefined };
}

/** Starts a server for the duration of the command, on a data directory that has a database. @throws StartError */
export async function startOnKept(command: string, dataDir: string, terminal: Terminal): Promise<ConnectedServer> {
  await requireDatabase(command, dataDir);
  return startOwn({ dataDir, workers: 1 }, terminal);
}

/** Starts a server for the duration of the command. @throws StartError */
export async function startOwn(options: LocalServerOptions, terminal: Terminal): Promise<ConnectedServer> {
  const { startLocalServer } = await import('./local-server.js');
  const server = await startLocalServer(options);
  return {
    client: new Orbweaver({ url: server.url, onNotice: noticeTo(terminal) }),
    url: server.url,
    isOwn: true,
    release: () => server.stop(),
  };
}

/** Runs work with a server and releases it at the end; Ctrl-C releases it at once. Returns the exit code. */
export async function whileReached(
  starting: Promise<ConnectedServer>,
  work: (server: ConnectedServer) => Promise<number>,
): Promise<number> {
  const interrupts = new Interrupts();
  const server = await interrupts.unless(starting);
  const interrupted = new Promise<number>((resolve) => interrupts.listen(() => resolve(COMMAND_EXIT.interrupted)));
  try {
    const working = server ? work(server) : interrupted;
    // Unfinished work loses its server: its error is expected.
    working.catch(() => undefined);
    return await Promise.race([working, interrupted]);
  } finally {
    await server?.release();
    interrupts.end();
  }
}

const noticeTo =
  (terminal: Terminal) =>
  (notice: string): void =>
    log(terminal, `note: ${notice}`);
