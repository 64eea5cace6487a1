/**
 * A small FTP server on loopback for tests: files in memory, passive mode, a log of commands. Each command can be replaced by a
 * handler that misbehaves. Whatever a test starts it closes.
 */
import { once } from 'node:events';
import { type AddressInfo, type Server, type Socket, createServer } from 'node:net';

export interface FtpFile {
  readonly body: string | Buffer;
  /** Time of the last change; default 2026-01-02T03:04:05Z. */
  readonly modified?: Date;
}

/** One control connection, as handlers see it. */
export interface FtpConversation {
  readonly control: Socket;
  /** Sends a reply line. */
  reply(line: string): void;
  /** Sends over the data connection of the last EPSV or PASV, and closes it; replies 150 and 226. */
  send(data: string | Buffer): Promise<void>;
  /** The data connection, once the client has opened it. */
  data(): Promise<Socket>;
  /** The port on which a data connection is awaited. */
  listen(): Promise<number>;
}

type Handler = (talk: FtpConversation, argument: string) => void | Promise<void>;

export interface FtpOptions {
  /** By path from `/`; folders follow from the paths. Names are bytes, one character each. */
  readonly files?: Readonly<Record<string, FtpFile | string>>;
  /** Passwords by user; default: any user with any password. */
  readonly users?: Readonly<Record<string, string>>;
  /** Handlers instead of those of the server, by command; `greeting` speaks first. */
  readonly handlers?: Readonly<Record<string, Handler>>;
  /** Listings: MLSD (default), or LIST alone. */
  readonly mlsd?: boolean;
  readonly host?: string;
}

export interface FtpServer {
  /** `ftp://127.0.0.1:port`, without a slash at the end. */
  readonly url: string;
  readonly port: number;
  /** Commands of all sessions, with their arguments. */
  readonly log: string[];
  /** Control and data connections that are open. */
  readonly open: () => number;
  /** Files can be changed while the server runs. */
  readonly files: Map<string, FtpFile>;
  close(): Promise<void>;
}

const MODIFIED = new Date('2026-01-02T03:04:05Z');

const stamp = (time: Date): string => time.toISOString().replace(/\D/g, '').slice(0, 14);

/** Entries of a folder: names, with a slash after those of folders. */
function entriesOf(files: ReadonlyMap<string, FtpFile>, folder: string): Map<string, FtpFile | null> {
  const entries = new Map<string, FtpFile | null>();
  for (const [path, file] of files) {
    if (!path.startsWith(folder)) continue;
    const [name = '', ...more] = path.slice(folder.length).split('/');
    if (name !== '') entries.set(more.length > 0 ? `${name}/` : name, more.length > 0 ? null : file);
  }
  return entries;
}

const mlsdLine = (name: string, file: FtpFile | null): string =>
  file === null
    ? `type=dir;modify=${stamp(MODIFIED)}; ${name.slice(0, -1)}`
    : `type=file;size=${Buffer.byteLength(file.body)};modify=${stamp(file.modified ?? MODIFIED)}; ${name}`;

const listLine = (name: string, file: FtpFile | null): string =>
  file === null
    ? `drwxr-xr-x   2 ftp      ftp          4096 Jan 02 03:04 ${name.slice(0, -1)}`
    : `-rw-r--r--   1 ftp      ftp      ${Buffer.byteLength(file.body)} Jan 02 03:04 ${name}`;

export async function startFtp(options: FtpOptions = {}): Promise<FtpServer> {
  const { host = '127.0.0.1' } = options;
  const given = Object.entries(options.files ?? {});
  const files = new Map(given.map(([path, file]) => [path, typeof file === 'string' ? { body: file } : file]));
  const log: string[] = [];
  const open = new Set<Socket>();
  const listeners = new Set<Server>();
  const count = (socket: Socket): void => {
    open.add(socket);
    socket.on('error', () => undefined);
    socket.once('close', () => open.delete(socket));
  };
  const server = createServer((control) => {
    count(control);
    converse(control, { options, files, log, host, count, listeners });
  });
  server.listen(0, host);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const close = async () => {
    for (const socket of open) socket.destroy();
    for (const each of [server, ...listeners]) if (each.listening) await new Promise((done) => each.close(done));
  };
  return { url: `ftp://${host}:${port}`, port, log, open: () => open.size, files, close };
}

interface Parts {
  readonly options: FtpOptions;
  readonly files: Map<string, FtpFile>;
  readonly log: string[];
  readonly host: string;
  readonly count: (socket: Socket) => void;
  readonly listeners: Set<Server>;
}

function converse(control: Socket, { options, files, log, host, count, listeners }: Parts): void {
  let accepted: Promise<Socket> | undefined;
  const talk: FtpConversation = {
    control,
    reply: (line) => void (control.destroyed || control.write(`${line}\r\n`, 'latin1')),
    data: () => accepted ?? Promise.reject(new Error('no EPSV or PASV')),
    async send(data) {
      talk.reply('150 Opening data connection.');
      const socket = await talk.data();
      socket.end(data);
      await once(socket, 'close').catch(() => undefined);
      talk.reply('226 Transfer complete.');
    },
    async listen() {
      const listener = createServer();
      listeners.add(listener);
      accepted = new Promise((resolve) =>
        listener.once('connection', (socket) => {
          count(socket);
          listener.close(() => listeners.delete(listener));
          resolve(socket);
        }),
      );
      listener.listen(0, host);
      await once(listener, 'listening');
      return (listener.address() as AddressInfo).port;
    },
  };
  const handlers = { ...serverOf(options, files), ...options.handlers };
  void handlers['greeting']!(talk, '');
  let rest = '';
  control.setEncoding('latin1');
  control.on('data', (text: string) => {
    const lines = (rest + text).split('\r\n');
    rest = lines.pop()!;
    for (const line of lines) {
      log.push(line);
      const [, command = '', argument = ''] = /^(\S+) ?(.*)$/s.exec(line) ?? [];
      const handler = handlers[command.toUpperCase()];
      if (handler === undefined) talk.reply('502 Command not implemented.');
      else void Promise.resolve(handler(talk, argument)).catch(() => control.destroy());
    }
  });
}

function serverOf({ users, mlsd = true }: FtpOptions, files: ReadonlyMap<string, FtpFile>): Record<string, Handler> {
  let user = '';
  let folder = '/';
  const listing = (line: typeof mlsdLine) => (talk: FtpConversation) =>
    talk.send(
      Buffer.from([...entriesOf(files, folder)].map(([name, file]) => `${line(name, file)}\r\n`).join(''), 'latin1'),
    );
  return {
    greeting: (talk) => talk.reply('220 Test server.'),
    USER: (talk, name) => {
      user = name;
      talk.reply('331 Password required.');
    },
    PASS: (talk, password) =>
      talk.reply(users && users[user] !== password ? `530 ${password} is not the password.` : '230 Logged in.'),
    TYPE: (talk) => talk.reply('200 Type set.'),
    FEAT: (talk) =>
      talk.reply(mlsd ? '211-Features:\r\n MLST type*;size*;modify*;\r\n MDTM\r\n211 End' : '502 Unknown.'),
    EPSV: async (talk) => talk.reply(`229 Entering Extended Passive Mode (|||${await talk.listen()}|)`),
    PASV: async (talk) => {
      const port = await talk.listen();
      talk.reply(`227 Entering Passive Mode (127,0,0,1,${port >> 8},${port & 255}).`);
    },
    MDTM: (talk, path) => {
      const file = files.get(path);
      talk.reply(file ? `213 ${stamp(file.modified ?? MODIFIED)}` : '550 No such file.');
    },
    CWD: (talk, path) => {
      const wanted = path.endsWith('/') ? path : `${path}/`;
      const isFolder = wanted === '/' || entriesOf(files, wanted).size > 0;
      if (isFolder) folder = wanted;
      talk.reply(isFolder ? '250 Directory changed.' : '550 No such directory.');
    },
    MLSD: listing(mlsdLine),
    LIST: listing(listLine),
    RETR: (talk, path) => {
      const file = files.get(path);
      return file ? talk.send(Buffer.from(file.body)) : talk.reply('550 No such file.');
    },
    QUIT: (talk) => talk.reply('221 Goodbye.'),
  };
}
