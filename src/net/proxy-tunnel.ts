/**
 * Opens a tunnel to an address through a proxy: CONNECT of HTTP (RFC 9110 §9.3.6) and SOCKS 5 (RFC 1928, 1929). An open tunnel
 * is used like a socket to the address itself. The size of the proxy's answer is limited here, its time by the caller, who
 * destroys the socket. In HTTP and TLS the client sends first, so any bytes after an answer that opens the tunnel are refused; a
 * refusal may have a page, which is not read.
 */
import type { Socket } from 'node:net';
import { parseAddress } from '../core/address/ip-address.js';
import { ProxyRefused, type Proxy } from '../core/http/proxy.js';

/** Maximum size of an answer to CONNECT, bytes. */
const MAX_HEAD_LENGTH = 16 * 1024;
const END_OF_HEAD = '\r\n\r\n';
/** Bytes that contain the status. */
const STATUS_LENGTH = 16;

/** Result: the tunnel is open, or it is to be requested again, with credentials, over another socket. */
export type TunnelEnd = 'open' | 'again';

/**
 * Requests a tunnel over a socket that is connected to the proxy.
 * @param address canonical text of the IP address to reach
 * @throws ProxyRefused, or the error of the socket
 */
export function openTunnel(socket: Socket, proxy: Proxy, address: string, port: number): Promise<TunnelEnd> {
  return proxy.settings.type === 'socks'
    ? throughSocks(socket, proxy, address, port)
    : throughConnect(socket, proxy, address, port);
}

async function throughConnect(socket: Socket, proxy: Proxy, address: string, port: number): Promise<TunnelEnd> {
  const target = `${address.includes(':') ? `[${address}]` : address}:${port}`;
  const { authorization } = proxy;
  const credentials = authorization === null ? '' : `Proxy-Authorization: ${authorization}\r\n`;
  const request = `CONNECT ${target} HTTP/1.1\r\nHost: ${target}\r\n${credentials}\r\n`;
  const answer = await ask(socket, Buffer.from(request), (bytes) => {
    const end = bytes.indexOf(END_OF_HEAD);
    if (end < 0) return Infinity;
    return isOpened(tunnelStatus(bytes)) ? end + END_OF_HEAD.length : bytes.length;
  });
  const status = tunnelStatus(answer);
  if (isOpened(status)) return 'open';
  if (status === 407) {
    const head = answer.toString('latin1', 0, answer.indexOf(END_OF_HEAD));
    const fields = head.split('\r\n').filter((line) => /^proxy-authenticate:/i.test(line));
    const challenge = fields.map((line) => line.slice(line.indexOf(':') + 1)).join(', ');
    if (proxy.challenged(challenge, authorization !== null)) return 'again';
    throw new ProxyRefused('rejects the configured credentials');
  }
  if (status === 0) throw new ProxyRefused('does not speak HTTP');
  throw new ProxyRefused(`could not reach the host (HTTP ${status})`, true);
}

/** The status of an answer of HTTP, 0 of another one. */
const tunnelStatus = (answer: Buffer): number =>
  Number(/^HTTP\/1\.[01] (\d{3})(?: |\r)/.exec(answer.toString('latin1', 0, STATUS_LENGTH))?.[1] ?? 0);
const isOpened = (status: number): boolean => status >= 200 && status < 300;

const SOCKS = 5;
const NO_CREDENTIALS = 0;
const USER_AND_PASSWORD = 2;
const CONNECT = 1;
/** RFC 1928 §6. */
const REPLIES = [
  '',
  'failed',
  'does not allow it',
  'has no route to the network',
  'has no route to the host',
  'was refused by the host',
  'gave up in time',
  'does not know CONNECT',
  'does not know this kind of address',
];

async function throughSocks(socket: Socket, proxy: Proxy, address: string, port: number): Promise<TunnelEnd> {
  const { username, password } = proxy.settings;
  const methods = username === '' ? [NO_CREDENTIALS] : [NO_CREDENTIALS, USER_AND_PASSWORD];
  const chosen = await ask(socket, Buffer.from([SOCKS, methods.length, ...methods]), () => 2);
  if (chosen[0] !== SOCKS) throw new ProxyRefused('does not speak SOCKS 5');
  if (!methods.includes(chosen[1] ?? 255)) throw new ProxyRefused('asks for other credentials');
  if (chosen[1] === USER_AND_PASSWORD) {
    const [user, secret] = [Buffer.from(username).subarray(0, 255), Buffer.from(password).subarray(0, 255)];
    const login = Buffer.concat([Buffer.from([1, user.length]), user, Buffer.from([secret.length]), secret]);
    const verdict = await ask(socket, login, () => 2);
    if (verdict[1] !== 0) throw new ProxyRefused('rejects the configured credentials');
  }
  const bytes = Buffer.from(parseAddress(address) ?? []);
  const kind = bytes.length === 4 ? 1 : 4;
  const field = Buffer.concat([bytes, Buffer.from([port >> 8, port & 255])]);
  const reply = await ask(socket, Buffer.concat([Buffer.from([SOCKS, CONNECT, 0, kind]), field]), replyLength);
  const why = reply[0] === SOCKS ? (REPLIES[reply[1] ?? 0] ?? '') : '';
  if (why !== '') throw new ProxyRefused(why, true);
  if (reply[0] !== SOCKS || reply[1] !== 0) throw new ProxyRefused('does not speak SOCKS 5');
  return 'open';
}

/** Length of the reply to CONNECT: its address has four bytes, sixteen, or is a name. */
function replyLength(answer: Buffer): number {
  if (answer.length < 5) return 5;
  const address = { 1: 4, 3: 1 + (answer[4] ?? 0), 4: 16 }[answer[3] ?? 0] ?? 0;
  return 4 + address + 2;
}

/**
 * Writes a request and waits for the answer.
 * @param lengthOf expected length of the answer, from the bytes received so far; Infinity: not known yet
 */
function ask(socket: Socket, request: Buffer, lengthOf: (answer: Buffer) => number): Promise<Buffer> {
  let answer: Buffer = Buffer.alloc(0);
  return new Promise((resolve, reject) => {
    const settle = (error: Error | null) => {
      socket.off('readable', read).off('close', closed).off('error', settle).off('end', closed);
      if (error === null) resolve(answer);
      else reject(error);
    };
    const closed = () => settle(new ProxyRefused('closed the connection'));
    const read = () => {
      for (let chunk = socket.read() as Buffer | null; chunk !== null; chunk = socket.read() as Buffer | null) {
        answer = Buffer.concat([answer, chunk]);
        const length = lengthOf(answer);
        if (answer.length === length) return settle(null);
        if (answer.length > length || answer.length >= MAX_HEAD_LENGTH)
          return settle(new ProxyRefused('sent too much data'));
      }
    };
    socket.on('readable', read).on('close', closed).on('error', settle).on('end', closed);
    socket.write(request);
  });
}
