/**
 * One session with an FTP server: a control connection and, for each transfer, a data connection in passive mode.
 *
 * Both are opened by the guarded connector. The data connection always leads to the address of the control connection, whatever
 * address the server names, and to a port that the guard allows. basic-ftp reads the replies; the bounds are kept here: bytes of
 * replies, time of each step. The session ends with the first failure.
 */
import type { Socket } from 'node:net';
import { Client, FTPError, type FTPResponse } from 'basic-ftp';
import { epsvPort, pasvPort } from '../core/ftp/ftp-replies.js';
import { type ConnectorPolicy, EgressRefused, GuardedConnector } from './connector.js';
import { FtpFailure, FtpTransfer, type Transferred } from './ftp-transfer.js';
import { type HttpFailure, failure } from './http-answer.js';

export interface SessionLimits {
  /** Name resolution and TCP handshake, ms. */
  readonly connectTimeout: number;
  /** Longest wait for a reply, and between two parts of a file, ms. */
  readonly idleTimeout: number;
}

/** Bytes that a server may send over the control connection of one session: some have long greetings. */
const MAX_REPLY_BYTES = 128 * 1024;

/** Ports for data that a server is asked for, while those that it names are refused. */
const MAX_DATA_PORTS = 3;

/** The server closes the session. */
const CLOSING = 421;

export class FtpSession {
  /** Address of the server, once it is connected. */
  address = '';
  readonly #client: Client;
  readonly #connectors = new Set<GuardedConnector>();
  #policy: ConnectorPolicy;
  #usesEpsv = true;
  #transfer: FtpTransfer | null = null;
  /** Why the session was ended by us. */
  #ended: FtpFailure | null = null;

  /** @param talk receives each command and reply */
  constructor(
    policy: ConnectorPolicy,
    private readonly limits: SessionLimits,
    private readonly talk?: (line: string) => void,
  ) {
    this.#policy = policy;
    this.#client = new Client(limits.idleTimeout);
    // Bytes, whatever charset the server uses.
    this.#client.ftp.encoding = 'latin1';
  }

  /** Connects, and reads the greeting. @throws FTPError if the server does not serve now */
  async open(hostname: string, port: string): Promise<void> {
    const { proxy } = this.#policy;
    // The data connection, which leads to an address, takes the same way.
    if (proxy?.serves(hostname) === false) this.#policy = { ...this.#policy, proxy: undefined };
    const { socket, address } = await this.#connect(hostname, port);
    this.address = address;
    const { ftp } = this.#client;
    ftp.socket = socket;
    if (this.talk) ftp.log = this.talk;
    let received = 0;
    // basic-ftp bounds one reply. Those that nobody asked for are bounded here.
    socket.on('data', (text: string | Buffer) => {
      received += text.length;
      if (received > MAX_REPLY_BYTES) this.end(failure('protocol', 'the server sends too many replies'));
    });
    await this.#step(() =>
      ftp.handle(undefined, (reply, task) => {
        if (reply instanceof Error) task.reject(reply);
        else if (reply.code >= 200 && reply.code < 300) task.resolve(reply);
        // 120: it serves in some minutes.
        else task.reject(new FTPError(reply));
      }),
    );
  }

  async login(user: string, password: string): Promise<void> {
    await this.#step(() => this.#client.login(user, password));
  }

  /** @throws FTPError for a reply of 400 and above */
  send(command: string): Promise<FTPResponse> {
    return this.#step(() => this.#client.send(command));
  }

  /** The reply to a command that a server need not know: null if it refuses it. */
  async try(command: string): Promise<FTPResponse | null> {
    try {
      return await this.send(command);
    } catch (error) {
      if (error instanceof FTPError && error.code !== CLOSING) return null;
      throw error;
    }
  }

  /** Whether the server names a feature (RFC 2389). */
  async has(feature: string): Promise<boolean> {
    const reply = await this.try('FEAT');
    const lines = reply?.message.split('\n').slice(1, -1) ?? [];
    return lines.some((line) => line.trim().split(' ')[0]?.toUpperCase() === feature);
  }

  /** Receives what a command transfers, at most `limit` bytes; a truncated transfer leaves the session unusable. */
  async retrieve(command: string, limit: number): Promise<Transferred> {
    const data = await this.#openData();
    try {
      const transfer = new FtpTransfer(this.#client.ftp, data, limit, this.limits.idleTimeout);
      this.#transfer = transfer;
      return await this.#step(() => transfer.run(command));
    } finally {
      this.#transfer = null;
      data.destroy();
    }
  }

  /** The time of the whole fetch is over: a transfer that has begun is truncated. */
  expire(): void {
    if (this.#transfer?.cut('time') !== true) this.end(failure('timeout', 'the fetch took too long'));
  }

  /** Ends the session: the present step fails with this reason. */
  end(why: HttpFailure): void {
    this.#ended ??= new FtpFailure(why);
    this.close();
  }

  /** Closes the connections. */
  close(): void {
    for (const connector of this.#connectors) connector.cancel();
    this.#client.close();
  }

  async #step<T>(work: () => Promise<T>): Promise<T> {
    if (this.#ended) throw this.#ended;
    try {
      return await work();
    } catch (error) {
      throw this.#ended ?? error;
    }
  }

  async #connect(hostname: string, port: string): Promise<{ socket: Socket; address: string }> {
    const connector = new GuardedConnector(this.#policy, this.limits.connectTimeout);
    this.#connectors.add(connector);
    try {
      const target = { hostname, protocol: 'ftp:', port };
      const socket = await this.#step(() => connector.open(target, ['http/1.1']));
      if (!this.#ended) return { socket, address: connector.address ?? '' };
      socket.destroy();
      throw this.#ended;
    } finally {
      this.#connectors.delete(connector);
    }
  }

  /** A data connection to the address of the control connection. */
  async #openData(): Promise<Socket> {
    for (let tries = 1; ; tries++) {
      const port = await this.#dataPort();
      if (port === null) throw new FtpFailure(failure('protocol', 'the server names no usable port for data'));
      try {
        const { socket } = await this.#connect(this.address, String(port));
        // The transfer sees its 'close'.
        socket.on('error', () => undefined);
        return socket;
      } catch (error) {
        // Servers choose any port above 1023, and some of those are refused: the next one will do.
        if (!(error instanceof EgressRefused) || error.rule !== 'port' || tries === MAX_DATA_PORTS) throw error;
      }
    }
  }

  /** EPSV (RFC 2428) needs no address, and works over IPv6; old servers know PASV alone. */
  async #dataPort(): Promise<number | null> {
    const reply = this.#usesEpsv ? await this.try('EPSV') : null;
    if (reply) return epsvPort(reply.message);
    this.#usesEpsv = false;
    return pasvPort((await this.send('PASV')).message);
  }
}
