/** Scores read directly from bytes equal those of cursor and formula, to the last bit. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ByteWriter } from '../../../../src/core/search/postings/byte-writer.js';
import { FIELDS, PostingCursor, writePosting } from '../../../../src/core/search/postings/posting-codec.js';
import { ColumnsBuilder } from '../../../../src/core/search/postings/segment-columns.js';
import { FieldFrequency, TITLE, saturated } from '../../../../src/core/search/score/bm25f.js';
import { ScratchArrays, ScratchPool } from '../../../../src/core/search/score/scratch-arrays.js';
import { addTerm } from '../../../../src/core/search/score/term-scores.js';

const perField = <T>(one: fc.Arbitrary<T>) => fc.array(one, { minLength: FIELDS, maxLength: FIELDS });
const frequency = fc.oneof(fc.constant(0), fc.integer({ min: 1, max: 3 }), fc.integer({ min: 60, max: 70_000 }));
const posting = fc.record({
  gap: fc.integer({ min: 1, max: 200 }),
  frequencies: perField(frequency).filter((all) => all.some((one) => one > 0)),
  lengths: perField(fc.integer({ min: 0, max: 70_000 })),
});
const weight = fc.oneof(fc.constant(0), fc.double({ min: 0, max: 10, noNaN: true }));

describe('the scores of a term', () => {
  it('equal the formula, to the last bit', () => {
    fc.assert(
      fc.property(
        fc.array(posting, { maxLength: 30 }),
        perField(weight),
        perField(fc.double({ min: 1, max: 500, noNaN: true })),
        fc.option(weight),
        fc.record({ k1: fc.double({ min: 0, max: 10, noNaN: true }), b: fc.double({ min: 0, max: 1, noNaN: true }) }),
        (postings, weights, averages, contentBoost, bm25) => {
          const writer = new ByteWriter();
          const builder = new ColumnsBuilder();
          for (const { gap, frequencies, lengths } of postings) {
            writePosting(writer, gap, Int32Array.from(frequencies));
            for (let at = 0; at < gap; at++) {
              const fieldBoosts = [1, 1, 1, 1, 1, contentBoost ?? 1];
              const values = { boost: 1, fieldBoosts, language: '', type: '', host: '', day: 0 };
              builder.add({ ...values, lengths, simhash: [0, 0] });
            }
          }
          const columns = builder.build();
          const frequency = new FieldFrequency(columns, weights, { documents: columns.size, averages }, bm25);
          const target = () => ({
            matches: new Uint8Array(columns.size),
            scores: new Float32Array(columns.size),
            inTitle: new Uint8Array(columns.size),
          });
          const found = target();
          addTerm(writer.copy(), frequency, found, { factor: 1.7, countsTitles: true });
          const expected = target();
          for (const cursor = new PostingCursor(writer.copy()); cursor.next();) {
            const tf = frequency.ofDocument(cursor);
            if (tf === 0) continue;
            expected.matches[cursor.doc] = 1;
            expected.scores[cursor.doc] = 1.7 * saturated(tf, bm25.k1);
            expected.inTitle[cursor.doc] = cursor.frequencies[TITLE]! > 0 ? 1 : 0;
          }
          expect(found).toEqual(expected);
        },
      ),
    );
  });

  it('of truncated bytes end without an error', () => {
    const columns = new ColumnsBuilder().build();
    const statistics = { documents: 0, averages: [1, 1, 1, 1, 1, 1] };
    const frequency = new FieldFrequency(columns, [1, 1, 1, 1, 1, 1], statistics, { k1: 1.2, b: 0.75 });
    const target = { matches: new Uint8Array(1), scores: new Float32Array(1), inTitle: new Uint8Array(1) };
    for (const bytes of [[128], [0], [0, 131], [0, 1, 63, 200]])
      expect(() => addTerm(Uint8Array.from(bytes), frequency, target, { factor: 1, countsTitles: true })).not.toThrow();
  });
});

describe('scratch arrays', () => {
  it('are zero whenever they are taken, and are not shared', () => {
    const pool = new ScratchPool();
    const [one, other] = [new ScratchArrays(pool), new ScratchArrays(pool)];
    for (const size of [3, 5_000, 1, 70_000]) {
      const arrays = [one.scores(size), other.scores(size), one.flags(size), other.flags(size)];
      for (const array of arrays) {
        expect(array.length).toBe(size);
        expect(array.every((value) => value === 0)).toBe(true);
      }
      arrays.forEach((array, at) => array.fill(at + 1));
      expect(arrays.map((array) => array[size - 1])).toEqual([1, 2, 3, 4]);
      one.release();
      other.release();
    }
  });
});
