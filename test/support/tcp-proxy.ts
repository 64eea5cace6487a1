/**
 * A TCP proxy between one process under test and its database (or any other server), which fails as networks do.
 *
 *   const proxy = await startTcpProxy({ path: `${socketFolder}/.s.PGSQL.5432` });   // or { host, port }
 *   startServer({ databaseUrl: proxy.databaseUrl(db.url) });
 *   proxy.blackHole();  …  proxy.heal();
 *
 * It passes bytes until it is told otherwise. What is told holds for connections that are open and for new ones, until
 * `heal`. Faults of one kind replace those of another.
 */
import { once } from 'node:events';
import { type AddressInfo, type NetConnectOpts, type Socket, connect, createServer } from 'node:net';

export interface TcpProxy {
  readonly port: number;
  /** The connection string with this proxy instead of host and port. */
  databaseUrl(of: string): string;
  /** Connections that are open now. */
  readonly open: () => number;
  /** Connections accepted so far. */
  readonly accepted: () => number;
  /** Bytes pass again, also those held back by `blackHole` and `delay`. Connections that were cut stay cut. */
  heal(): void;
  /** Resets all open connections at once, and nothing more: new ones pass. */
  reset(): void;
  /** New connections are refused (accepted and reset at once); open ones are reset too. */
  refuse(): void;
  /**
   * Nothing is answered any more and nothing breaks: bytes of both sides are held back. New connections are accepted and stay
   * silent.
   */
  blackHole(): void;
  /** The server's side is closed behind the proxy's back and the client hears nothing: what it sends is lost. */
  halfOpen(): void;
  /** Each piece of data takes `ms` longer, in each direction. */
  delay(ms: number): void;
  /**
   * The next `times` COMMITs reach the database and are carried out; their answer never arrives, and the connection is
   * reset. Resolves when the last of them was cut.
   */
  cutAtCommit(times?: number): Promise<void>;
  /** The next answer ends with the message of a server that shuts down (57P01), in one piece; then the connection is closed. */
  shutDownAfterAnswer(): void;
  close(): Promise<void>;
}

type Mode = { kind: 'pass' | 'refuse' | 'black hole' } | { kind: 'delay'; ms: number };

/** One connection through the proxy: the client's socket, the server's, and what is held back. */
interface Pair {
  client: Socket;
  server: Socket;
  held: (() => void)[];
  /** Delayed pieces, oldest first: each timer lets one go. */
  delayed: Record<'client' | 'server', (() => void)[]>;
  /** The answer to a COMMIT is not to arrive. */
  committing: boolean;
  /** Nothing from the client reaches the server any more. */
  severed: boolean;
}

/** COMMIT as `pg` sends it: a simple query message. */
const COMMIT = /Q\0\0\0.commit\0/i;

/** The end of an answer: ReadyForQuery, outside a transaction. */
const READY = Buffer.from('Z\0\0\0\x05I', 'latin1');
const FIELDS = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to administrator command', ''];
const SHUT_DOWN = errorResponse(FIELDS.map((field) => `${field}\0`).join(''));

function errorResponse(fields: string): Buffer {
  const message = Buffer.from(`E\0\0\0\0${fields}`, 'latin1');
  message.writeInt32BE(message.length - 1, 1);
  return message;
}

/** Starts a proxy on a free port of 127.0.0.1 in front of a server: `{ path }` for a unix socket, or `{ host, port }`. */
export async function startTcpProxy(target: NetConnectOpts): Promise<TcpProxy> {
  const proxy = new Proxy(target);
  await proxy.listen();
  return proxy;
}

/** Where a connection string leads: a unix socket, as that of the embedded PostgreSQL (`?host=/folder`), or a port. */
export function socketOf(databaseUrl: string): { path: string } | { host: string; port: number } {
  const { searchParams, hostname, port } = new URL(databaseUrl);
  const folder = searchParams.get('host');
  return folder === null ? { host: hostname, port: Number(port || 5432) } : { path: `${folder}/.s.PGSQL.5432` };
}

class Proxy implements TcpProxy {
  port = 0;
  private mode: Mode = { kind: 'pass' };
  private readonly pairs = new Set<Pair>();
  private count = 0;
  private commitsToCut = 0;
  private isShuttingDown = false;
  private onCut: () => void = () => undefined;
  private readonly server = createServer((client) => this.accept(client));
  private readonly target: NetConnectOpts;

  constructor(target: NetConnectOpts) {
    this.target = target;
  }

  async listen(): Promise<void> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    this.port = (this.server.address() as AddressInfo).port;
  }

  databaseUrl(of: string): string {
    const url = new URL(of);
    url.searchParams.delete('host');
    url.hostname = '127.0.0.1';
    url.port = String(this.port);
    return url.href;
  }

  readonly open = (): number => this.pairs.size;
  readonly accepted = (): number => this.count;

  heal(): void {
    this.mode = { kind: 'pass' };
    for (const pair of this.pairs) for (const go of pair.held.splice(0)) go();
  }

  reset(): void {
    for (const pair of this.pairs) end(pair);
  }

  refuse(): void {
    this.mode = { kind: 'refuse' };
    this.reset();
  }

  blackHole(): void {
    this.mode = { kind: 'black hole' };
  }

  halfOpen(): void {
    for (const pair of this.pairs) {
      pair.severed = true;
      pair.server.destroy();
    }
  }

  delay(ms: number): void {
    this.heal();
    this.mode = { kind: 'delay', ms };
  }

  cutAtCommit(times = 1): Promise<void> {
    this.commitsToCut = times;
    return new Promise((resolve) => (this.onCut = resolve));
  }

  shutDownAfterAnswer(): void {
    this.isShuttingDown = true;
  }

  async close(): Promise<void> {
    this.heal();
    this.reset();
    await new Promise((resolve) => this.server.close(resolve));
  }

  private accept(client: Socket): void {
    this.count++;
    if (this.mode.kind === 'refuse') return void client.on('error', () => undefined).resetAndDestroy();
    client.setNoDelay(true);
    const server = connect(this.target);
    const pair: Pair = {
      client,
      server,
      held: [],
      delayed: { client: [], server: [] },
      committing: false,
      severed: false,
    };
    this.pairs.add(pair);
    client.on('data', (data) => this.fromClient(pair, data));
    server.on('data', (data) => this.fromServer(pair, data));
    for (const socket of [client, server]) socket.on('error', () => undefined);
    client.on('close', () => this.gone(pair));
    server.on('close', () => pair.severed || this.gone(pair));
  }

  private gone(pair: Pair): void {
    // In a black hole the server does not hear that the client has gone, either.
    if (this.mode.kind === 'black hole') return void pair.held.push(() => this.gone(pair));
    this.pairs.delete(pair);
    end(pair);
  }

  private fromClient(pair: Pair, data: Buffer): void {
    if (this.commitsToCut > 0 && data.length < 100 && COMMIT.test(data.toString('latin1'))) {
      this.commitsToCut--;
      pair.committing = true;
    }
    this.carry(pair, 'server', data);
  }

  private fromServer(pair: Pair, data: Buffer): void {
    if (this.isShuttingDown && data.subarray(-READY.length).equals(READY)) {
      this.isShuttingDown = false;
      return void pair.client.end(Buffer.concat([data, SHUT_DOWN]));
    }
    if (!pair.committing) return this.carry(pair, 'client', data);
    this.pairs.delete(pair);
    end(pair);
    if (this.commitsToCut === 0) this.onCut();
  }

  private carry(pair: Pair, to: 'client' | 'server', data: Buffer): void {
    const write = (): void => {
      if (!pair[to].destroyed && !(pair.severed && to === 'server')) pair[to].write(data);
    };
    if (this.mode.kind === 'black hole') pair.held.push(write);
    else if (this.mode.kind !== 'delay') write();
    else {
      pair.delayed[to].push(write);
      setTimeout(() => pair.delayed[to].shift()?.(), this.mode.ms);
    }
  }
}

function end({ client, server }: Pair): void {
  if (!client.destroyed) client.resetAndDestroy();
  server.destroy();
}
