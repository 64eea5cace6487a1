import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteReader, ByteWriter } from '../../../../src/core/search/postings/byte-writer.js';
import { LiveBits } from '../../../../src/core/search/postings/live-bits.js';
import {
  CONTENT,
  FIELDS,
  PostingCursor,
  readPositions,
  writePosting,
} from '../../../../src/core/search/postings/posting-codec.js';
import {
  BlockPacker,
  type TermPostings,
  eachTerm,
  findTerm,
  termsOf,
} from '../../../../src/core/search/postings/term-block.js';
import { byCodePoints, compareTerms } from '../../../../src/core/search/postings/term-order.js';
import { unicodeText } from '../../../support/unicode-text.js';

const isWithin = (length: number, min: number) => length >= min && length <= 40;
const numbers = fc.integer({ min: 0, max: 2 ** 32 - 1 });
const frequencies = fc
  .array(fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 3 }), fc.integer({ min: 0, max: 70_000 })), {
    minLength: FIELDS,
    maxLength: FIELDS,
  })
  .filter((all) => all.some((one) => one > 0))
  .map((all) => Int32Array.from(all));
const postings = fc.array(fc.record({ gap: fc.integer({ min: 1, max: 2 ** 20 }), frequencies }), { maxLength: 40 });

describe('varints', () => {
  it('are decoded as they were encoded', () => {
    fc.assert(
      fc.property(fc.array(numbers), (all) => {
        const writer = new ByteWriter(1);
        for (const one of all) writer.varint(one);
        const reader = new ByteReader(writer.copy());
        expect(all.map(() => reader.varint())).toEqual(all);
        expect(reader.at).toBe(reader.end);
      }),
    );
  });

  it('that are truncated are read without an error', () => {
    const reader = new ByteReader(Uint8Array.of(255, 255));
    expect(reader.varint()).toBe(16_383);
    reader.skip(3);
    expect(reader.varint()).toBe(0);
  });
});

describe('postings', () => {
  it('are decoded as they were encoded', () => {
    fc.assert(
      fc.property(postings, (all) => {
        const writer = new ByteWriter();
        for (const one of all) writePosting(writer, one.gap, one.frequencies);
        const cursor = new PostingCursor(writer.copy());
        let doc = -1;
        for (const one of all) {
          expect(cursor.next()).toBe(true);
          expect(cursor.doc).toBe((doc += one.gap));
          expect([...cursor.frequencies]).toEqual([...one.frequencies]);
          expect(cursor.hasOthers).toBe(one.frequencies.some((count, field) => field !== CONTENT && count > 0));
          expect(cursor.positions).toBe(one.frequencies.reduce((sum, count) => sum + count, 0));
        }
        expect(cursor.next()).toBe(false);
      }),
    );
  });

  it('take one byte for one word of the content close to the previous document', () => {
    const writer = new ByteWriter();
    const once = Int32Array.from({ length: FIELDS }, (_, field) => (field === CONTENT ? 1 : 0));
    for (let i = 0; i < 100; i++) writePosting(writer, 64, once);
    expect(writer.length).toBe(100);
  });

  it('have positions by field, and no more of them than the bytes contain', () => {
    const writer = new ByteWriter();
    for (const gap of [3, 4, 10]) writer.varint(gap);
    const counts = Int32Array.of(2, 0, 0, 0, 0, 1_000_000);
    expect(readPositions(new ByteReader(writer.copy()), counts)).toEqual([[3, 7], [], [], [], [], [10]]);
  });
});

describe('blocks of terms', () => {
  const bytes = fc.uint8Array({ maxLength: 40 });
  const term = unicodeText({ minLength: 1, maxLength: 12 });
  const terms = fc.uniqueArray(fc.record({ term, df: numbers, post: bytes, pos: bytes }), {
    selector: ({ term }) => term,
    maxLength: 120,
  });
  const packed = (all: readonly TermPostings[]) => {
    const packer = new BlockPacker();
    return [...all.flatMap((one) => packer.add(one)), ...packer.end()];
  };
  const sorted = (all: readonly TermPostings[]) => [...all].sort((a, b) => compareTerms(a.term, b.term));

  it('return all terms in order', () => {
    fc.assert(
      fc.property(terms, (all) => {
        const given = sorted(all);
        const found = packed(given).flatMap(({ post, pos }) =>
          [...termsOf(post)].map((one) => ({ ...one, pos: pos.subarray(one.pos.from, one.pos.to) })),
        );
        expect(found.map((one) => ({ ...one, post: [...one.post], pos: [...one.pos] }))).toEqual(
          given.map((one) => ({ ...one, post: [...one.post], pos: [...one.pos] })),
        );
      }),
    );
  });

  it('list the terms with a prefix and a length, also from a truncated block', () => {
    fc.assert(
      fc.property(terms, fc.string({ maxLength: 2 }), fc.nat(9), fc.nat(400), (all, from, minBytes, cut) => {
        const filter = { prefix: Buffer.from(from), minBytes, maxBytes: 40 };
        for (const { post } of packed(sorted(all))) {
          const fitting = [...termsOf(post)]
            .map(({ term, df }) => [term, df])
            .filter(([term]) => {
              const bytes = Buffer.from(term as string);
              return bytes.subarray(0, filter.prefix.length).equals(filter.prefix) && isWithin(bytes.length, minBytes);
            });
          const found = (block: Uint8Array) => {
            const named: (string | number)[][] = [];
            eachTerm(block, filter, (term, df) => named.push([term, df]));
            return named;
          };
          expect(found(post)).toEqual(fitting);
          const head = found(post.subarray(0, cut));
          expect(head).toEqual(fitting.slice(0, head.length));
        }
      }),
    );
  });

  it('find each of their terms and no other', () => {
    fc.assert(
      fc.property(terms, fc.array(term), (all, others) => {
        const blocks = packed(sorted(all));
        const find = (wanted: string) => {
          const block = blocks.findLast(({ term: first }) => compareTerms(first, wanted) <= 0);
          return block && findTerm(block.post, Buffer.from(wanted));
        };
        for (const one of all) expect([...find(one.term)!.post]).toEqual([...one.post]);
        const known = new Set(all.map((one) => one.term));
        for (const other of others) if (!known.has(other)) expect(find(other)).toBeUndefined();
      }),
    );
  });

  it('store a term with many postings in a block of its own', () => {
    const of = (name: string, size: number) => ({
      term: name,
      df: 1,
      post: new Uint8Array(size),
      pos: new Uint8Array(0),
    });
    const blocks = packed([of('a', 10), of('b', 5_000), of('c', 10), of('d', 10)]);
    expect(blocks.map(({ term: first }) => first)).toEqual(['a', 'b', 'c']);
  });
});

describe('the order of terms', () => {
  it('is the order of their UTF-8 bytes', () => {
    fc.assert(
      fc.property(fc.array(unicodeText()), (all) => {
        const inOrder = Array.from(byCodePoints(all), (i) => all[i]!);
        expect(inOrder).toEqual(all.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
      }),
    );
  });
});

describe('live bits', () => {
  it('are all set at first and are cleared one by one', () => {
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 100 }), fc.array(fc.nat(120)), (size, cleared) => {
        const live = LiveBits.allLive(size);
        for (const doc of cleared) live.clear(doc);
        const left = Array.from({ length: size }, (_, doc) => doc).filter((doc) => !cleared.includes(doc));
        expect(Array.from({ length: 130 }, (_, doc) => doc).filter((doc) => live.has(doc))).toEqual(left);
        expect(live.count).toBe(left.length);
      }),
    );
  });
});
