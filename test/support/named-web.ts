/**
 * A web on loopback under names that are not ours (example.org, nutch.apache.org): what documents show can be run as it is.
 * The server that crawls it is started with `env`: its resolver knows the names, and its default configuration (CONF_FILE) sends
 * every request through a small proxy, which answers for all of them, over TLS too.
 */
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { selfSigned } from '../net/self-signed.js';
import { temporaryFolder } from './folders.js';

/** Answers for a page of a host; what it does not answer is 404. */
export type NamedPages = (url: URL) => { type: string; body: string | Buffer } | undefined;

export interface NamedWeb {
  /** Variables of a server to which the names exist. */
  readonly env: Readonly<Record<string, string>>;
  /** URLs that were asked for, in order. */
  readonly log: string[];
  close(): Promise<void>;
}

/** A resolver that knows every name, as the processes of the server load it. */
const RESOLVER = `import dns from 'node:dns/promises';
import { syncBuiltinESMExports } from 'node:module';
dns.lookup = async () => [{ address: '127.0.0.1', family: 4 }];
syncBuiltinESMExports();`;

export async function startNamedWeb(pages: NamedPages, params: Record<string, string> = {}): Promise<NamedWeb> {
  const folder = await temporaryFolder();
  const log: string[] = [];
  const sockets = new Set<Socket>();
  const answer = (req: IncomingMessage, res: ServerResponse, base: string): void => {
    const url = new URL(req.url ?? '/', base);
    log.push(url.href);
    const page = pages(url);
    if (!page) return void res.writeHead(404, { 'content-type': 'text/plain' }).end('not here');
    res.writeHead(200, { 'content-type': page.type }).end(page.body);
  };
  const pair = selfSigned('localhost', new Date('2020-01-01'), new Date('2040-01-01'));
  const secure = createSecureServer(pair, (req, res) => answer(req, res, `https://${req.headers.host}`));
  const proxy = createServer((req, res) => answer(req, res, `http://${req.headers.host}`));
  for (const server of [secure, proxy]) {
    server.on('connection', (socket: Socket) => {
      sockets.add(socket);
      socket.on('close', () => sockets.delete(socket));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  proxy.on('connect', (_req, socket: Socket) => {
    const inner = connect((secure.address() as AddressInfo).port, '127.0.0.1', () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      socket.pipe(inner).pipe(socket);
    });
    inner.on('error', () => socket.destroy());
    socket.on('error', () => inner.destroy());
  });
  const confFile = join(folder.path, 'conf.json');
  const conf = {
    'http.proxy.host': '127.0.0.1',
    'http.proxy.port': String((proxy.address() as AddressInfo).port),
    'http.tls.certificates.check': 'false',
    'http.filter.ipaddress.exclude': '',
    'fetcher.server.delay': '0',
    ...params,
  };
  await writeFile(confFile, JSON.stringify(conf));
  return {
    env: { CONF_FILE: confFile, NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(RESOLVER)}` },
    log,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await Promise.all([secure, proxy].map((server) => new Promise((done) => server.close(done))));
      await folder.remove();
    },
  };
}
