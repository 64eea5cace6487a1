/**
 * Small web servers on loopback for tests: one that is programmed by handlers and keeps a log, and one that speaks raw bytes.
 * Whatever a test starts it closes. bench/synthetic-web/start.mjs has a large web of many hosts.
 */
import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createTcpServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { gzipSync } from 'node:zlib';

export type Handler = (req: IncomingMessage, res: ServerResponse) => void | Promise<void>;

export interface LoggedRequest {
  /** ms since 1970 */
  readonly time: number;
  readonly method: string;
  /** Request target: path and query. */
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
}

export interface Site {
  /** `http://127.0.0.1:port`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Requests in the order of arrival. */
  readonly log: LoggedRequest[];
  /** TCP connections accepted so far: a canary that must stay 0 asks this. */
  readonly connections: () => number;
  close(): Promise<void>;
}

export interface SiteOptions {
  /** A loopback address, `127.0.0.N`; default 127.0.0.1. */
  readonly host?: string;
  /** Default: any free port. */
  readonly port?: number;
}

/**
 * Starts a web server. With a table the handler is chosen by path (without query); `'*'` takes the rest, else it is 404.
 * A handler that throws answers 500.
 */
export async function startSite(handlers: Handler | Record<string, Handler>, options: SiteOptions = {}): Promise<Site> {
  const log: LoggedRequest[] = [];
  const server = createServer({ keepAliveTimeout: 30_000 }, (req, res) => {
    const { method = '', url: path = '', headers } = req;
    log.push({ time: Date.now(), method, path, headers });
    res.on('error', () => undefined);
    Promise.resolve()
      .then(() => handlerFor(handlers, path)(req, res))
      .catch(() => (res.headersSent ? res.destroy() : res.writeHead(500).end()));
  });
  return listening(server, log, options);
}

/** A server that gets each connection's socket after its first bytes: for answers that no HTTP server would give. */
export async function startRawSite(answer: (socket: Socket) => void, options: SiteOptions = {}): Promise<Site> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => answer(socket));
  });
  return listening(server, [], options);
}

function handlerFor(handlers: Handler | Record<string, Handler>, path: string): Handler {
  if (typeof handlers === 'function') return handlers;
  return handlers[path.split('?')[0] ?? ''] ?? handlers['*'] ?? status(404);
}

async function listening(server: Server, log: LoggedRequest[], options: SiteOptions): Promise<Site> {
  const { host = '127.0.0.1', port: wanted = 0 } = options;
  const open = new Set<Socket>();
  let connections = 0;
  server.on('connection', (socket: Socket) => {
    connections += 1;
    open.add(socket);
    socket.once('close', () => open.delete(socket));
  });
  const port = await listenAnew(server, wanted, host);
  const close = async () => {
    for (const socket of open) socket.destroy();
    if (server.listening) await new Promise((resolve) => server.close(resolve));
  };
  return { url: `http://${host}:${port}`, port, log, connections: () => connections, close };
}

/** Ports that sites of this process had. */
const portsUsed = new Set<number>();

/** Listens on a port that no other site of this process had: what a test remembers of an origin is that of its own site. */
async function listenAnew(server: Server, wanted: number, host: string): Promise<number> {
  for (;;) {
    server.listen(wanted, host);
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    if (wanted !== 0 || !portsUsed.has(port)) {
      portsUsed.add(port);
      return port;
    }
    await new Promise((resolve) => server.close(resolve));
  }
}

/** A whole answer; the type is `text/html` unless the headers say otherwise. */
export function page(body: string | Buffer, headers: Record<string, string> = {}, code = 200): Handler {
  return (_req, res) => {
    res.writeHead(code, { 'content-type': 'text/html; charset=utf-8', ...headers }).end(body);
  };
}

export function status(code: number, headers: Record<string, string> = {}): Handler {
  return page(`status ${code}`, headers, code);
}

export function redirect(to: string, code = 302): Handler {
  return status(code, { location: to });
}

/** `/loop/n` leads to `/loop/n+1` forever; under any other path it leads to itself. */
export const redirectLoop: Handler = (req, res) => {
  const path = (req.url ?? '/').replace(/\d+$/, (n) => String(Number(n) + 1));
  res.writeHead(302, { location: path }).end();
};

/** Headers at once, then `chunk` every `everyMs` ms until the client goes away. */
export function slowDrip(everyMs: number, chunk = '.'): Handler {
  return (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/plain' }).write(chunk);
    const timer = setInterval(() => res.write(chunk), everyMs);
    res.on('close', () => clearInterval(timer));
  };
}

/** Takes the request and never answers. */
export const silence: Handler = () => undefined;

/** Bytes without end, as fast as the client takes them. */
export function endlessStream(headers: Record<string, string> = {}, chunk = Buffer.alloc(64 * 1024, 'x')): Handler {
  return async (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/html', ...headers });
    let wake = () => {};
    for (const event of ['drain', 'close']) res.on(event, () => wake());
    while (!res.destroyed) {
      if (!res.write(chunk)) await new Promise<void>((resolve) => (wake = resolve));
    }
  };
}

/** A gzip body that unpacks to `mebibytes` (rounded up to 16): small on the wire, a thousandth of its size. */
export function gzipBomb(mebibytes: number): Handler {
  const member = gzipSync(Buffer.alloc(16 * 1024 * 1024));
  return (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/html', 'content-encoding': 'gzip' });
    for (let i = 0; i < mebibytes; i += 16) res.write(member);
    res.end();
  };
}

/** The connection is reset before any answer. */
export const reset: Handler = (req) => {
  req.socket.resetAndDestroy();
};

/** Promises `length` bytes, sends `body`, and cuts the connection. */
export function cutShort(body: string, length: number): Handler {
  return (_req, res) => {
    res.writeHead(200, { 'content-type': 'text/html', 'content-length': String(length) });
    res.write(body, () => res.socket?.end());
  };
}

/** A chunked body whose second chunk has no size. */
export function badChunk(code = 200, headers: Record<string, string> = {}): Handler {
  return (_req, res) => {
    const fields = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
    const head = `HTTP/1.1 ${code} X\r\n${fields.join('')}Transfer-Encoding: chunked\r\n\r\n`;
    res.socket?.end(`${head}5\r\nhello\r\nnot-a-size\r\nworld\r\n`);
  };
}
