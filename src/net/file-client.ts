/**
 * Reads files and directories of this machine, below the directories that an admin has named and nowhere else. Answers have the
 * form of HTTP, with the status that Nutch gives them: 200, 301 (a symbolic link, or a directory without the slash at its end),
 * 304, 404, 401; a directory is a page of links.
 *
 * The real path decides: `..`, escapes and symbolic links cannot lead out. The file is opened without following a link, and the
 * path of what was opened is checked once more, so that a link that is exchanged meanwhile gains nothing. Only regular files and
 * directories are opened, as opening a device may act and a pipe may wait forever; and nothing below /proc and /sys.
 */
import { type FileHandle, lstat, realpath } from 'node:fs/promises';
import { BodyBuffer } from '../core/http/body-buffer.js';
import { formatHttpDate, parseHttpDate } from '../core/http/http-date.js';
import { bytePath, urlPath } from '../core/listing/byte-path.js';
import { listingPage } from '../core/listing/listing-page.js';
import { listDirectory, openChecked, pathBuffer } from './file-opening.js';
import { type HttpAnswer, type HttpFailure, type Truncation, abortedFetch, failure } from './http-answer.js';
import { type FetchLimits, type HttpRequest, bodyLimit } from './http-client.js';

export interface FileOptions {
  /** Absolute paths. Empty: nothing can be read. */
  readonly roots: readonly string[];
  /** `file.crawl.parent`: link to the parent directory. */
  readonly parent: boolean;
  /** `file.crawl.redirect_noncanonical`: a path with symbolic links redirects to the real one. */
  readonly redirect: boolean;
}

/** What was read, before it is an answer. */
interface ReadFile {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  readonly truncated?: false | Truncation;
}

const SYSTEM = ['/proc', '/sys'];
const CHUNK_BYTES = 64 * 1024;

export class FileClient {
  readonly #open = new Set<AbortController>();
  #closed = false;

  constructor(private readonly options: FileOptions) {}

  /** Never rejects. `if-modified-since` of the request's headers is applied; a query of the URL is not used. */
  async fetch(request: HttpRequest, limits: FetchLimits): Promise<HttpAnswer> {
    const started = performance.now();
    const url = URL.parse(request.url);
    const path = url?.protocol === 'file:' && url.hostname === '' ? bytePath(url.pathname) : null;
    if (path === null) return failure('url', 'not the URL of a file of this machine');
    if (this.#closed || request.signal?.aborted === true) return ABORTED;
    const ends = new AbortController();
    this.#open.add(ends);
    const abort = (): void => ends.abort(ABORTED);
    const timer = setTimeout(() => ends.abort(TOO_LONG), limits.totalTimeout);
    request.signal?.addEventListener('abort', abort, { once: true });
    // A call to a file system that hangs cannot be ended: its result is not awaited.
    const end = new Promise<HttpFailure>((resolve) =>
      ends.signal.addEventListener('abort', () => resolve(ends.signal.reason as HttpFailure), { once: true }),
    );
    const fileRequest = {
      path: path.replace(/\/{2,}/g, '/'),
      limit: bodyLimit(limits),
      since: parseHttpDate(request.headers['if-modified-since'] ?? ''),
      ends: ends.signal,
    };
    try {
      return await Promise.race([this.#read(fileRequest, started), end]);
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
      this.#open.delete(ends);
    }
  }

  /** Ends all fetches: they fail as `aborted`. */
  close(): void {
    this.#closed = true;
    for (const ends of this.#open) ends.abort(ABORTED);
  }

  async #read(fileRequest: FileRequest, started: number): Promise<HttpAnswer> {
    try {
      const file = await this.#find(fileRequest);
      return file === null ? OUTSIDE : fileAnswer(file, started);
    } catch (error) {
      const status = STATUS_OF[String((error as NodeJS.ErrnoException).code)];
      if (status === undefined) return failure('reset', 'the file cannot be read');
      return fileAnswer({ status, headers: {} }, started, `file ${(error as NodeJS.ErrnoException).code}`);
    }
  }

  /** Null: the path is outside, or neither a file nor a directory. */
  async #find({ path, limit, since, ends }: FileRequest): Promise<ReadFile | null> {
    const roots = await this.#realRoots();
    // Without a look at the file system: what exists outside stays unknown.
    const named = [...this.options.roots.map(inBytes), ...roots].some((root) => isWithin(path, root));
    if (!named) return null;
    const real = (await realpath(pathBuffer(path), { encoding: 'buffer' })).toString('latin1');
    if (!roots.some((root) => isWithin(real, root)) || SYSTEM.some((each) => isWithin(real, each))) return null;
    const stats = await lstat(pathBuffer(real));
    if (!stats.isFile() && !stats.isDirectory()) return null;
    const canonical = stats.isDirectory() && real !== '/' ? `${real}/` : real;
    const isMoved = this.options.redirect ? path !== canonical : stats.isDirectory() && !path.endsWith('/');
    if (isMoved)
      return {
        status: 301,
        headers: { location: `file://${urlPath(this.options.redirect ? canonical : `${path}/`)}` },
      };
    const modified = Math.floor(stats.mtimeMs / 1_000) * 1_000;
    const headers = { 'last-modified': formatHttpDate(modified) };
    if (since !== null && modified <= since) return { status: 304, headers };
    const handle = await openChecked(real, stats);
    if (handle === null) return null;
    try {
      if (stats.isFile()) return { status: 200, headers, ...(await content(handle, limit, ends)) };
      const { entries, more } = await listDirectory(handle, real, ends);
      const parent = this.options.parent && !roots.includes(real);
      const body = listingPage({ path, entries, more, parent });
      return { status: 200, headers: { ...headers, 'content-type': 'text/html; charset=utf-8' }, body };
    } finally {
      await handle.close();
    }
  }

  /** The real paths of the roots that exist. */
  async #realRoots(): Promise<string[]> {
    const paths = await Promise.all(
      this.options.roots
        .filter((root) => root.startsWith('/'))
        .map((root) => realpath(root, { encoding: 'buffer' }).catch(() => null)),
    );
    return paths.flatMap((root) => (root === null ? [] : [root.toString('latin1')]));
  }
}

interface FileRequest {
  /** Bytes. */
  readonly path: string;
  readonly limit: number;
  readonly since: number | null;
  readonly ends: AbortSignal;
}

const ABORTED = abortedFetch();
const TOO_LONG = failure('timeout', 'the fetch took too long');
const OUTSIDE = failure('blocked', 'not a file or directory below file.crawl.roots');

const STATUS_OF: Readonly<Record<string, number>> = {
  ENOENT: 404,
  ENOTDIR: 404,
  ENAMETOOLONG: 404,
  ELOOP: 404,
  EACCES: 401,
  EPERM: 401,
};

/** A root as given, without a slash at its end. */
const inBytes = (root: string): string => Buffer.from(root.replace(/(?<=.)\/+$/, '')).toString('latin1');

const isWithin = (path: string, root: string): boolean => root === '/' || path === root || path.startsWith(`${root}/`);

/** The bytes of a file, which may grow while it is read. */
async function content(
  handle: FileHandle,
  limit: number,
  ends: AbortSignal,
): Promise<Required<Pick<ReadFile, 'body' | 'truncated'>>> {
  const body = new BodyBuffer(limit);
  for (;;) {
    ends.throwIfAborted();
    const { bytesRead, buffer } = await handle.read(Buffer.allocUnsafeSlow(CHUNK_BYTES), 0, CHUNK_BYTES, null);
    if (bytesRead === 0) return { body: body.toBuffer(), truncated: false };
    if (body.push(buffer.subarray(0, bytesRead))) return { body: body.toBuffer(), truncated: 'length' };
  }
}

function fileAnswer(
  { status, headers, body = Buffer.alloc(0), truncated = false }: ReadFile,
  started: number,
  reply?: string,
): HttpAnswer {
  const ms = performance.now() - started;
  const answer = { ok: true, status, headers, body, truncated, wireBytes: body.length, ms, address: '' } as const;
  return reply === undefined ? answer : { ...answer, reply };
}
