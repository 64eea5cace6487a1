import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../../src/core/search/postings/byte-writer.js';
import { LiveBits } from '../../../../src/core/search/postings/live-bits.js';
import { type MergeInput, mergeTerms, renumbered } from '../../../../src/core/search/postings/merge-terms.js';
import { CONTENT, FIELDS, PostingCursor, writePosting } from '../../../../src/core/search/postings/posting-codec.js';
import type { TermPostings } from '../../../../src/core/search/postings/term-block.js';
import { compareTerms } from '../../../../src/core/search/postings/term-order.js';

/** A merge of postings: what it reads of its segments, and what it makes of them. */

const MAX_DOCS = 12;

/** A segment: the documents with each term, the documents that are live, and how many terms are read at once. */
interface Segment {
  readonly docsOf: ReadonlyMap<string, readonly number[]>;
  readonly live: readonly number[];
  readonly atOnce: number;
}

const frequencies = Int32Array.from({ length: FIELDS }, (_, field) => (field === CONTENT ? 1 : 0));

/** Each document has its number as position of the term. */
function postingsOf(term: string, docs: readonly number[]): TermPostings {
  const [post, pos] = [new ByteWriter(), new ByteWriter()];
  docs.forEach((doc, i) => writePosting(post, doc - (docs[i - 1] ?? -1), frequencies));
  for (const doc of docs) pos.varint(doc);
  return { term, df: docs.length, post: post.copy(), pos: pos.copy() };
}

/** A segment as input of a merge, with the number of its reads. */
function inputOf({ docsOf, atOnce }: Segment, numbers: Int32Array): MergeInput & { reads: number } {
  const terms = Array.from(docsOf, ([term, docs]) => postingsOf(term, docs));
  terms.sort((a, b) => compareTerms(a.term, b.term));
  return {
    reads: 0,
    numbers,
    more(): Promise<TermPostings[]> {
      this.reads++;
      return Promise.resolve(terms.splice(0, atOnce));
    },
  };
}

function bitsOf(live: readonly number[]): LiveBits {
  const bits = LiveBits.allLive(MAX_DOCS);
  for (let doc = 0; doc < MAX_DOCS; doc++) if (!live.includes(doc)) bits.clear(doc);
  return bits;
}

async function merged(segments: readonly Segment[]) {
  const numbers = renumbered(segments.map(({ live }) => bitsOf(live)));
  const inputs = segments.map((segment, i) => inputOf(segment, numbers[i]!));
  const terms: TermPostings[] = [];
  for await (const batch of mergeTerms(inputs)) terms.push(...batch);
  return { terms, numbers, reads: inputs.map(({ reads }) => reads) };
}

const docs = fc
  .uniqueArray(fc.nat({ max: MAX_DOCS - 1 }), { maxLength: MAX_DOCS })
  .map((all) => all.toSorted((a, b) => a - b));
const segment: fc.Arbitrary<Segment> = fc.record({
  docsOf: fc
    .array(fc.tuple(fc.string({ unit: fc.constantFrom('a', 'b', 'é', '💧'), maxLength: 3 }), docs), { maxLength: 30 })
    .map((terms) => new Map(terms)),
  live: docs,
  atOnce: fc.integer({ min: 1, max: 8 }),
});

describe('a merge of postings', () => {
  it('reads each part of a segment once, and its end once', async () => {
    const words = Array.from({ length: 600 }, (_, i): [string, number[]] => [`w${i}`, [0]]);
    const of = (terms: [string, number[]][], atOnce: number): Segment => ({
      docsOf: new Map(terms),
      live: [0],
      atOnce,
    });
    const { terms, reads } = await merged([of(words, 200), of(words.slice(0, 3), 200), of([], 200), of(words, 7)]);
    expect(reads).toEqual([3 + 1, 1 + 1, 1, 86 + 1]);
    expect(terms).toHaveLength(600);
  });

  it('makes the terms of all segments, once each in the order of their bytes, with their live documents', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(segment, { maxLength: 5 }), async (segments) => {
        const { terms, numbers } = await merged(segments);
        const expected = new Map<string, number[][]>();
        segments.forEach(({ docsOf, live }, i) => {
          for (const [term, all] of docsOf) {
            const kept = all.filter((doc) => live.includes(doc)).map((doc) => [numbers[i]![doc]!, doc]);
            if (kept.length > 0) expected.set(term, [...(expected.get(term) ?? []), ...kept]);
          }
        });
        const order = [...expected.keys()].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
        expect(terms.map(({ term }) => term)).toEqual(order);
        for (const { term, df, post, pos } of terms) {
          const cursor = new PostingCursor(post);
          const found: number[][] = [];
          while (cursor.next()) found.push([cursor.doc, pos[found.length]!]);
          expect([found, df]).toEqual([expected.get(term), found.length]);
        }
      }),
    );
  });
});
