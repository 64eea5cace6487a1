/** Merges the postings of segments, term by term: only a batch of each segment is in memory, however large they are. */
import { ByteReader, ByteWriter } from './byte-writer.js';
import { PostingCursor, writePosting } from './posting-codec.js';
import type { TermPostings } from './term-block.js';
import { compareTerms } from './term-order.js';
import type { LiveBits } from './live-bits.js';

/** A segment that is merged. */
export interface MergeInput {
  /** Reads its next terms, in the order of their bytes; empty after the last one. */
  readonly more: () => Promise<readonly TermPostings[]>;
  /** Number of each of its documents in the new segment; DEAD for those that are not copied. */
  readonly numbers: Int32Array;
}

export const DEAD = -1;

/** Terms yielded at once. */
const BATCH = 256;

/** Numbers the live documents of all segments consecutively. */
export function renumbered(segments: readonly LiveBits[]): Int32Array[] {
  let next = 0;
  return segments.map((live) => Int32Array.from({ length: live.size }, (_, doc) => (live.has(doc) ? next++ : DEAD)));
}

/** The merged postings, in the order of their terms. Inputs must be in the order of their new numbers. */
export async function* mergeTerms(inputs: readonly MergeInput[]): AsyncGenerator<TermPostings[]> {
  const open = inputs.map((input) => new Input(input));
  const out = noPostings();
  let batch: TermPostings[] = [];
  for (;;) {
    for (const input of open) if (input.isEmpty) await input.fill();
    const term = leastOf(open);
    if (term === undefined) break;
    clear(out);
    for (const input of open) if (input.head?.term === term) copyLive(input.take(), input.numbers, out);
    if (out.df > 0) batch.push({ term, df: out.df, post: out.post.copy(), pos: out.pos.copy() });
    if (batch.length < BATCH) continue;
    yield batch;
    batch = [];
  }
  if (batch.length > 0) yield batch;
}

class Input {
  private terms: readonly TermPostings[] = [];
  private at = 0;
  private hasEnded = false;

  constructor(private readonly input: MergeInput) {}

  get head(): TermPostings | undefined {
    return this.terms[this.at];
  }

  get isEmpty(): boolean {
    return this.at >= this.terms.length && !this.hasEnded;
  }

  get numbers(): Int32Array {
    return this.input.numbers;
  }

  async fill(): Promise<void> {
    this.terms = await this.input.more();
    this.at = 0;
    this.hasEnded = this.terms.length === 0;
  }

  take(): TermPostings {
    return this.terms[this.at++]!;
  }
}

function leastOf(inputs: readonly Input[]): string | undefined {
  let least: string | undefined;
  for (const { head } of inputs) {
    if (head !== undefined && (least === undefined || compareTerms(head.term, least) < 0)) least = head.term;
  }
  return least;
}

/** Postings, and their positions if they were read. */
type Postings = Pick<TermPostings, 'post' | 'pos'>;

interface CopiedPostings {
  readonly post: ByteWriter;
  readonly pos: ByteWriter;
  df: number;
  last: number;
}

const noPostings = (): CopiedPostings => ({ post: new ByteWriter(), pos: new ByteWriter(), df: 0, last: -1 });

function clear(out: CopiedPostings): void {
  out.post.clear();
  out.pos.clear();
  out.df = 0;
  out.last = -1;
}

/** The postings of some documents. @param numbers number of each in the copy, in ascending order; DEAD for all others */
export function copiedPostings(postings: Postings, numbers: Int32Array): Postings {
  const out = noPostings();
  copyLive(postings, numbers, out);
  return { post: out.post.copy(), pos: out.pos.copy() };
}

function copyLive({ post, pos }: Postings, numbers: Int32Array, out: CopiedPostings): void {
  const cursor = new PostingCursor(post);
  const reader = new ByteReader(pos);
  while (cursor.next()) {
    const from = reader.at;
    if (pos.length > 0) reader.skip(cursor.positions);
    const doc = numbers[cursor.doc] ?? DEAD;
    if (doc === DEAD) continue;
    writePosting(out.post, doc - out.last, cursor.frequencies);
    out.pos.append(pos, from, reader.at);
    out.last = doc;
    out.df++;
  }
}
