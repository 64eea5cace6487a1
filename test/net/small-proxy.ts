/** A small proxy on loopback: CONNECT and forwarding (HTTP), or SOCKS 5. It records its requests; all names lead to loopback. */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, connect, createServer } from 'node:net';

export interface SmallProxy {
  readonly port: number;
  /** Request lines of HTTP (`CONNECT 127.0.0.1:443 HTTP/1.1`), or `SOCKS 127.0.0.1:443`. */
  readonly asked: string[];
  /** Header sections and logins as received. */
  readonly heads: string[];
  close(): Promise<void>;
}

export interface ProxyRules {
  readonly kind?: 'http' | 'socks';
  /** Required `user:password`; with HTTP in this realm. */
  readonly login?: string;
  readonly realm?: string;
  /** Sent instead of any other response. */
  readonly says?: string | Buffer;
}

type Serve = (socket: Socket, rules: ProxyRules, log: Pick<SmallProxy, 'asked' | 'heads'>) => Promise<void>;

export async function startProxy(rules: ProxyRules = {}): Promise<SmallProxy> {
  const log = { asked: [] as string[], heads: [] as string[] };
  const open = new Set<Socket>();
  const serve: Serve = rules.kind === 'socks' ? serveSocks : serveHttp;
  const server: Server = createServer((socket) => {
    open.add(socket);
    socket.on('error', () => undefined).once('close', () => open.delete(socket));
    if (rules.says === undefined) serve(socket, rules, log).catch(() => socket.destroy());
    else socket.once('data', () => socket.write(rules.says as string));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = async () => {
    for (const socket of open) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  };
  return { port: (server.address() as AddressInfo).port, ...log, close };
}

/** The next bytes that contain `enough`; those after them are put back. */
async function read(socket: Socket, enough: (bytes: Buffer) => number): Promise<Buffer> {
  let bytes: Buffer = Buffer.alloc(0);
  for (;;) {
    const chunk = socket.read() as Buffer | null;
    if (chunk === null) await once(socket, 'readable');
    else bytes = Buffer.concat([bytes, chunk]);
    const length = enough(bytes);
    if (length > 0 && bytes.length >= length) {
      if (bytes.length > length) socket.unshift(bytes.subarray(length));
      return bytes.subarray(0, length);
    }
  }
}

const reading = (length: number) => () => length;
const lead = (from: Socket, port: number): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const to = connect(port, '127.0.0.1', () => resolve(to));
    to.on('error', reject);
    from.on('close', () => to.destroy());
  });
const join = (a: Socket, b: Socket) => void a.pipe(b).pipe(a);

const serveHttp: Serve = async (socket, { login, realm = 'small' }, { asked, heads }) => {
  const head = (
    await read(socket, (bytes) => bytes.indexOf('\r\n\r\n') + 4 - (bytes.includes('\r\n\r\n') ? 0 : 3))
  ).toString();
  const line = head.slice(0, head.indexOf('\r\n'));
  asked.push(line);
  heads.push(head);
  const wanted = login && `Basic ${Buffer.from(login).toString('base64')}`;
  if (wanted && !head.includes(wanted)) {
    const page = '<h1>Who are you?</h1>';
    const fields = `Proxy-Authenticate: Basic realm="${realm}"\r\nContent-Length: ${page.length}`;
    socket.end(`HTTP/1.1 407 No\r\n${fields}\r\n\r\n${page}`);
    return;
  }
  const [method, target = ''] = line.split(' ');
  if (method === 'CONNECT') {
    const to = await lead(socket, Number(target.slice(target.lastIndexOf(':') + 1)));
    socket.write('HTTP/1.1 200 OK\r\n\r\n');
    return join(socket, to);
  }
  const url = new URL(target);
  const to = await lead(socket, Number(url.port) || 80);
  // One request per connection: a later one would have to be parsed like the first.
  const forwarded = head.replace(target, url.pathname + url.search).replace(/proxy-authorization:.*\r\n/i, '');
  to.write(forwarded.replace(/connection: keep-alive/i, 'connection: close'));
  join(socket, to);
};

const serveSocks: Serve = async (socket, { login }, { asked, heads }) => {
  const [, count = 0] = await read(socket, reading(2));
  const methods = await read(socket, reading(count));
  const method = login === undefined ? 0 : 2;
  socket.write(Buffer.from([5, methods.includes(method) ? method : 255]));
  if (login !== undefined) {
    const [, user = 0] = await read(socket, reading(2));
    const name = (await read(socket, reading(user))).toString();
    const [secret = 0] = await read(socket, reading(1));
    heads.push(`${name}:${(await read(socket, reading(secret))).toString()}`);
    const good = heads.at(-1) === login;
    socket.write(Buffer.from([1, good ? 0 : 1]));
    if (!good) return;
  }
  const [, , , kind] = await read(socket, reading(4));
  const address = [...(await read(socket, reading(kind === 4 ? 16 : 4)))].join('.');
  const port = (await read(socket, reading(2))).readUInt16BE(0);
  asked.push(`SOCKS ${address}:${port}`);
  const to = await lead(socket, port).catch(() => null);
  socket.write(Buffer.from([5, to === null ? 5 : 0, 0, 1, 0, 0, 0, 0, 0, 0]));
  if (to !== null) join(socket, to);
};
