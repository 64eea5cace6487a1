/**
 * Evicts connections when there are more than the limit.
 *
 * A client that sends its request a byte at a time, or does not read its answer, costs only a connection. Timeouts close such
 * connections (10 s for a head, 30 s for a whole request, 2 min for an answer that is not read), but an attacker may open them
 * faster. A plain limit would then refuse all others. So at the limit a new connection is accepted, and those that have waited
 * longest without a complete request are evicted: idle ones, which lose nothing, and slow ones. If there are none, those whose
 * answer has been stalled longest are evicted. A connection whose request is being processed is never evicted; if there are no
 * others, the new one is closed. One address has at most half of the connections; the address with the most loses some first.
 */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { openFilesLimit } from './open-files.js';
import { Semaphore, longestWaiting } from '../../core/queueing/semaphore.js';

export interface ConnectionLimits {
  readonly max: number;
  /** Connections of one address; a proxy in front of this server is one address. */
  readonly maxOfOne: number;
}

/** 16 KiB of headers each: 64 MiB at worst. Bodies have a bound of their own (request/body.interceptor.ts). */
export const DEFAULT_CONNECTIONS: ConnectionLimits = { max: 4_096, maxOfOne: 2_048 };

/** Fraction of the files that a process may have open which connections may be; the others are the database, logs and processes. */
const OF_OPEN_FILES = 0.8;

/** Open files with which the API has all its connections. */
export const ENOUGH_FILES = DEFAULT_CONNECTIONS.max / OF_OPEN_FILES;

/** At the limit of open files no connection is accepted any more: that of connections must be reached before. */
export function limitsWithin(openFiles: number): ConnectionLimits {
  const max = Math.min(DEFAULT_CONNECTIONS.max, Math.floor(openFiles * OF_OPEN_FILES));
  return { max, maxOfOne: Math.floor(max / 2) };
}

/** Fraction of the limit that is evicted at once, so that a flood does not cost a scan of all connections for each new one. */
const FREED = 0.05;

interface Connection {
  readonly socket: Socket;
  /** All clients at its address. */
  readonly client: LimitedClient;
  /** When it began to wait: when it was opened, or after the previous answer; ms of a monotonic clock. */
  waitingSince: number;
  exchange: { request: IncomingMessage; response: ServerResponse } | undefined;
}

export class Connections {
  private readonly connections = new Map<Socket, Connection>();
  private readonly semaphore: Semaphore;
  evicted = 0;

  constructor(
    server: Server,
    private readonly limits: ConnectionLimits = limitsWithin(openFilesLimit()),
  ) {
    this.semaphore = new Semaphore(limits);
    server.on('connection', (socket: Socket) => this.admit(socket));
    server.on('request', (request: IncomingMessage, response: ServerResponse) => this.begin(request, response));
  }

  get size(): number {
    return this.connections.size;
  }

  private admit(socket: Socket): void {
    const client: LimitedClient = { id: socket.remoteAddress ?? '', kind: 'address' };
    const newcomer: Connection = { socket, client, waitingSince: performance.now(), exchange: undefined };
    this.connections.set(socket, newcomer);
    const reached = this.semaphore.reached(client);
    this.semaphore.take(client);
    socket.once('close', () => this.forget(newcomer));
    if (reached !== undefined) this.evict(reached.limit === 'own' ? client.id : this.semaphore.fullest, newcomer);
  }

  private begin(request: IncomingMessage, response: ServerResponse): void {
    const connection = this.connections.get(request.socket);
    if (connection === undefined) return;
    const exchange = { request, response };
    connection.exchange = exchange;
    response.once('close', () => {
      // With pipelining the next request may have begun already.
      if (connection.exchange === exchange) connection.exchange = undefined;
      connection.waitingSince = performance.now();
    });
  }

  private evict(address: string, newcomer: Connection): void {
    const others = [...this.connections.values()].filter(
      (connection) => connection.client.id === address && connection !== newcomer,
    );
    const waiting = others.filter(isWaiting);
    const victims = longestWaiting(waiting.length > 0 ? waiting : others.filter(isStalled), {
      now: performance.now(),
      minMs: 0,
      n: Math.max(1, Math.floor(this.limits.max * FREED)),
    });
    for (const { socket } of victims.length > 0 ? victims : [newcomer]) {
      this.evicted += 1;
      socket.destroy();
    }
  }

  private forget({ socket, client }: Connection): void {
    this.connections.delete(socket);
    this.semaphore.release(client);
  }
}

/** No complete request has arrived: none has begun, or its head or body is still being received. */
const isWaiting = ({ exchange }: Connection): boolean => exchange === undefined || !exchange.request.complete;

/** Bytes have been written that the client does not read. */
const isStalled = ({ socket, exchange }: Connection): boolean =>
  exchange !== undefined && (socket.writableLength > 0 || exchange.response.writableNeedDrain);
