/**
 * Answers that may be large.
 *
 * Each piece is produced when the previous one has been sent, so a slow reader delays only itself, and a disconnect cancels the
 * running statement. An answer up to a megabyte is sent whole. A larger one needs a permit (stream-semaphore.ts); a request for
 * many pages takes it before the database is queried. The first pieces are produced before the answer begins: an error there is
 * answered as a problem. A later error closes the connection, so that no client takes the answer for complete.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Request } from 'express';
import { clientOf } from '../access/client-identity.js';
import { type StreamLimits, type StreamPermit, StreamSemaphore } from './stream-semaphore.js';

/** Characters of an answer that is sent whole. */
const MAX_WHOLE_LENGTH = 1_048_576;
/** An answer of up to this many pages may be small. */
const FEW_PAGES = 1_000;

export interface Streamed {
  type: string;
  pages: number;
}

export class AnswerStreams {
  readonly semaphore: StreamSemaphore;

  constructor(limits?: StreamLimits) {
    this.semaphore = new StreamSemaphore(limits);
  }

  /**
   * The answer to a request, joined from texts. Throws TOO_MANY_EXPORTS, and what producing the first texts throws.
   * @param textsOf receives a signal that is aborted when the answer is complete or the client has disconnected
   */
  async answer(
    request: Request,
    textsOf: (signal: AbortSignal) => AsyncGenerator<string>,
    { type, pages }: Streamed,
  ): Promise<Buffer | StreamableFile> {
    const permit = pages > FEW_PAGES ? this.take(request) : undefined;
    const texts = textsUntil(closeOf(request), textsOf);
    try {
      const begin: string[] = [];
      for (let size = 0; size <= MAX_WHOLE_LENGTH;) {
        const next = await texts.next();
        if (next.done || request.res!.closed) {
          await texts.return(undefined);
          return whole(request, begin, { type, permit, semaphore: this.semaphore });
        }
        resetIdleTimeout(request);
        if (next.value === '') continue;
        begin.push(next.value);
        size += next.value.length;
        // The answer is large anyway: send the first piece without collecting a megabyte.
        if (permit) break;
      }
      const inContext = AsyncLocalStorage.snapshot();
      const pieces = rest(begin.join(''), texts, { request, inContext, permit: permit ?? this.take(request) });
      return new StreamableFile(Readable.from(pieces, { objectMode: false }), { type });
    } catch (error) {
      if (permit) this.semaphore.release(permit);
      await texts.return(undefined);
      throw error;
    }
  }

  /** A permit until the answer is sent or abandoned, whether or not its stream was ever read. */
  private take(request: Request): StreamPermit {
    const permit = this.semaphore.acquire(clientOf(request), () => request.socket.destroy());
    const response = request.res!;
    if (response.closed) this.semaphore.release(permit);
    else response.once('close', () => this.semaphore.release(permit));
    return permit;
  }
}

/** A signal that is aborted when the answer has been sent or the client has disconnected. */
function closeOf({ res }: Request): AbortSignal {
  const close = new AbortController();
  if (res!.closed) close.abort();
  else res!.once('close', () => close.abort());
  return close.signal;
}

/** The texts until the signal is aborted: the error of the cancelled statement is then ignored. */
async function* textsUntil(
  signal: AbortSignal,
  textsOf: (signal: AbortSignal) => AsyncGenerator<string>,
): AsyncGenerator<string> {
  try {
    yield* textsOf(signal);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

interface Ended {
  type: string;
  permit: StreamPermit | undefined;
  semaphore: StreamSemaphore;
}

function whole(request: Request, texts: string[], { type, permit, semaphore }: Ended): Buffer {
  if (permit) semaphore.release(permit);
  request.res!.setHeader('Content-Type', type);
  return Buffer.from(texts.join(''));
}

/**
 * Restarts the idle timeout of a connection. Even an empty text means that the database was busy: that no bytes were sent
 * meanwhile is not the reader's fault.
 */
const resetIdleTimeout = ({ socket }: Request): void => void socket.setTimeout(socket.timeout ?? 0);

interface StreamReader {
  request: Request;
  /** Runs work in the async context of the request, whichever socket event requests more: its connections are counted. */
  inContext: <T>(work: () => T) => T;
  permit: StreamPermit;
}

async function* rest(
  begin: string,
  texts: AsyncGenerator<string>,
  { request, permit, inContext }: StreamReader,
): AsyncGenerator<string> {
  for (let text = begin; ;) {
    permit.waitingSince = performance.now();
    if (text !== '') yield text;
    // The reader has taken the previous piece; from now on it waits for the database.
    permit.waitingSince = Infinity;
    const next = await inContext(() => texts.next());
    if (next.done) return;
    if (request.res!.closed) return void (await texts.return(undefined));
    resetIdleTimeout(request);
    text = next.value;
  }
}
