import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { tokensOf } from '../../../../src/core/search/analysis/analyze.js';
import { fingerprints } from '../../../../src/core/search/collapse-hits.js';
import { ByteWriter } from '../../../../src/core/search/postings/byte-writer.js';
import { GrowingInts } from '../../../../src/core/search/postings/growing-ints.js';
import { PostingCursor } from '../../../../src/core/search/postings/posting-codec.js';
import { searchedDocument } from '../../../../src/core/search/postings/searched-document.js';
import { SegmentBuilder } from '../../../../src/core/search/postings/segment-builder.js';
import { TermRecords } from '../../../../src/core/search/postings/term-records.js';

/** A segment while it is built: its postings, and the memory that it counts. */

const CHUNK = 262_144;
const written = (bytes: Uint8Array): ByteWriter => {
  const writer = new ByteWriter();
  writer.append(bytes);
  return writer;
};
const sizes = fc.oneof(fc.constant(0), fc.integer({ max: 200, min: 1 }), fc.integer({ max: 2 * CHUNK, min: 60_000 }));

describe('the records of terms', () => {
  it('are copied first to last, however many chunks they fill, also those larger than a chunk', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ term: fc.nat(3), post: sizes, pos: sizes }), { maxLength: 40 }), (all) => {
        const records = new TermRecords();
        const last = new Map<number, number>();
        const wanted = new Map<number, { post: Uint8Array[]; pos: Uint8Array[] }>();
        for (const [n, { term, post, pos }] of all.entries()) {
          const [posts, positions] = [new Uint8Array(post).fill(n + 1), new Uint8Array(pos).fill(n + 101)];
          last.set(term, records.add(last.get(term) ?? null, written(posts), written(positions)));
          const known = wanted.get(term) ?? { post: [], pos: [] };
          wanted.set(term, { post: [...known.post, posts], pos: [...known.pos, positions] });
        }
        for (const [term, { post, pos }] of wanted) {
          const [posts, positions] = [new ByteWriter(), new ByteWriter()];
          records.copy(last.get(term)!, posts, positions);
          expect(Buffer.concat(post).equals(posts.copy())).toBe(true);
          expect(Buffer.concat(pos).equals(positions.copy())).toBe(true);
        }
      }),
      { numRuns: 50 },
    );
  });

  it('take no more memory than what is in them and one chunk', () => {
    const records = new TermRecords();
    const record = written(new Uint8Array(1_000));
    let last: number | null = null;
    for (let n = 1; n <= 3_000; n++) {
      last = records.add(last, record, new ByteWriter());
      // A record has at most 15 bytes besides; at the end of a chunk less than one record is unused.
      const used = n * (1_000 + 15);
      expect(records.bytes).toBeLessThanOrEqual(used + CHUNK + (used / CHUNK) * 1_015);
    }
  });
});

it('a column keeps its values when it grows, and new rows have the value asked for', () => {
  const column = new GrowingInts(2);
  for (let row = 0; row < 1_000; row++) {
    column.fillTo(row + 1, -1);
    expect([column.values[2 * row], column.values[2 * row + 1]]).toEqual([-1, -1]);
    column.values.set([row, -row], 2 * row);
  }
  expect(Array.from({ length: 1_000 }, (_, row) => column.values[2 * row])).toEqual(
    Array.from({ length: 1_000 }, (_, row) => row),
  );
  expect(column.bytes).toBeLessThan(1_000 * 2 * 4 * 1.6);
});

describe('a segment', () => {
  const documentOf = (id: string, content: string) =>
    searchedDocument({
      id,
      url: `http://site.test/${id}`,
      boost: 1,
      fields: new Map([['content', [content]]]),
      fieldBoosts: new Map(),
    });

  it('has each document of a word once and in order, though its records are in several chunks', () => {
    const builder = new SegmentBuilder(tokensOf, fingerprints);
    // Positions far from each other take three bytes each: a document has some 25 KB.
    const content = Array.from({ length: 8_000 }, (_, n) => (n % 2 === 0 ? 'ferry' : `w${n}`)).join(' ');
    for (let n = 0; n < 40; n++) Array.from(builder.add(documentOf(`p${n}`, content)));
    const { postings, bytes } = readOf(builder);
    expect(bytes).toBeGreaterThan(2 * CHUNK);
    expect(postings.get('ferry')).toEqual(Array.from({ length: 40 }, (_, n) => n));
    expect(postings.get('w7999')).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  it('has the right documents of more words than the cache of words has, of long ones, and of exact ones', () => {
    const builder = new SegmentBuilder(tokensOf, fingerprints);
    const long = 'x'.repeat(40);
    const words = Array.from({ length: 50_000 }, (_, n) => `w${n}`).join(' ');
    for (const [id, content] of Object.entries({
      p0: `ferries ${words}`,
      p1: `${long} ferries ferry`,
      p2: words,
      p3: `w7 ${long}`,
    }))
      Array.from(builder.add({ ...documentOf(id, content), language: 'en' }));
    const { postings } = readOf(builder);
    const found = ['w0', 'w7', 'w49999', long, 'ferri', '=ferries', '=ferry'].map((term) => postings.get(term));
    expect(found).toEqual([[0, 2], [0, 2, 3], [0, 2], [1, 3], [0, 1], [0, 1], [1]]);
  });

  it('counts the memory of its postings, of its terms and of its documents', () => {
    const grownBy = (documents: readonly string[]): number => {
      const builder = new SegmentBuilder(tokensOf, fingerprints);
      const before = builder.memory;
      for (const [n, content] of documents.entries()) Array.from(builder.add(documentOf(`p${n}`, content)));
      return builder.memory - before;
    };
    const words = (count: number, from = 0) => Array.from({ length: count }, (_, n) => `w${from + n}`).join(' ');
    // A new term takes more than a hundred bytes, one that is known only its posting.
    const known = grownBy(Array.from({ length: 20 }, () => words(5_000)));
    const fresh = grownBy(Array.from({ length: 20 }, (_, n) => words(5_000, n * 5_000)));
    expect(fresh - known).toBeGreaterThan(95_000 * 100);
    expect(grownBy(Array.from({ length: 5_000 }, () => ''))).toBeGreaterThan(5_000 * 500);
  });
});

/** The documents of each term, and the bytes of all postings. */
function readOf(builder: SegmentBuilder): { postings: Map<string, number[]>; bytes: number } {
  const postings = new Map<string, number[]>();
  let bytes = 0;
  for (const { term, post, pos } of builder.build().terms) {
    const cursor = new PostingCursor(post);
    const documents: number[] = [];
    while (cursor.next()) documents.push(cursor.doc);
    postings.set(term, documents);
    bytes += post.length + pos.length;
  }
  return { postings, bytes };
}
