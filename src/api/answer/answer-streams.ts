/**
 * Answers that may be large.
 *
 * The next piece is asked for when the one before has gone out, so a slow reader makes nobody wait but itself, and one
 * that goes away ends the reading, the statement under way with it. What fits into a megabyte is no stream: it is made whole and sent. Beyond that a place
 * is needed (stream-semaphore.ts); who asks for much takes it before the database is asked. The first pieces are made before
 * the answer begins: an error there is answered as a problem. A later one cuts the connection, so that nobody takes the
 * answer for whole.
 */
import { AsyncLocalStorage } from 'node:async_hooks';
import { Readable } from 'node:stream';
import { StreamableFile } from '@nestjs/common';
import type { Request } from 'express';
import { askerOf } from '../access/client-identity.js';
import { type StreamLimits, type StreamPermit, StreamSemaphore } from './stream-semaphore.js';

/** Characters of an answer that is sent whole. */
const WHOLE = 1_048_576;
/** Pages of an answer that may turn out small. */
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
   * The answer to a request, made of texts. Throws TOO_MANY_EXPORTS, and what the first texts throw.
   * @param textsOf given a signal that fires when nobody waits for more
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
      for (let size = 0; size <= WHOLE;) {
        const next = await texts.next();
        if (next.done || request.res!.closed) {
          await texts.return(undefined);
          return whole(request, begin, { type, permit, semaphore: this.semaphore });
        }
        keepOpen(request);
        if (next.value === '') continue;
        begin.push(next.value);
        size += next.value.length;
        // A reader of much has waited long enough for its first piece.
        if (permit) break;
      }
      const inContext = AsyncLocalStorage.snapshot();
      const all = rest(begin.join(''), texts, { request, inContext, permit: permit ?? this.take(request) });
      return new StreamableFile(Readable.from(all, { objectMode: false }), { type });
    } catch (error) {
      if (permit) this.semaphore.release(permit);
      await texts.return(undefined);
      throw error;
    }
  }

  /** A place until the answer is out or given up, whether or not its stream was ever read. */
  private take(request: Request): StreamPermit {
    const permit = this.semaphore.acquire(askerOf(request), () => request.socket.destroy());
    const response = request.res!;
    if (response.closed) this.semaphore.release(permit);
    else response.once('close', () => this.semaphore.release(permit));
    return permit;
  }
}

/** Fires when the answer is out or its reader has gone. */
function closeOf({ res }: Request): AbortSignal {
  const close = new AbortController();
  if (res!.closed) close.abort();
  else res!.once('close', () => close.abort());
  return close.signal;
}

/** The texts up to where the signal ends their making: a statement that is cancelled fails. */
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
 * Begins the time of silence of a connection again. A text, an empty one too, says that the database was at work: nothing has
 * moved meanwhile, through no fault of the reader.
 */
const keepOpen = ({ socket }: Request): void => void socket.setTimeout(socket.timeout ?? 0);

interface Reader {
  request: Request;
  /** Runs work as that of the client that asked, whichever event of its socket asks for more: its connections are counted. */
  inContext: <T>(work: () => T) => T;
  permit: StreamPermit;
}

async function* rest(
  begin: string,
  texts: AsyncGenerator<string>,
  { request, permit, inContext }: Reader,
): AsyncGenerator<string> {
  for (let text = begin; ;) {
    permit.waitingSince = performance.now();
    if (text !== '') yield text;
    // Asked for more: the reader has taken what went before, and now the database is waited for.
    permit.waitingSince = Infinity;
    const next = await inContext(() => texts.next());
    if (next.done) return;
    if (request.res!.closed) return void (await texts.return(undefined));
    keepOpen(request);
    text = next.value;
  }
}
