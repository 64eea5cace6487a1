import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { BodyBuffer } from '../../../src/core/http/body-buffer.js';

/** A body that arrives in chunks and is kept up to a limit. */

const ALL = Buffer.from(Array.from({ length: 204_000 }, (_, n) => n % 251));
const bytes = (length: number): Buffer => ALL.subarray(0, length);

describe('a body buffer', () => {
  it.each([
    ['below the limit', 9, [false], 9],
    ['at the limit', 10, [false], 10],
    ['one byte beyond it', 11, [true], 10],
  ])('keeps a chunk %s: %i bytes of 10', (_where, length, isCut, kept) => {
    const body = new BodyBuffer(10);
    expect([body.push(bytes(length))]).toEqual(isCut);
    expect([body.length, body.toBuffer()]).toEqual([kept, bytes(kept)]);
  });

  it('drops what follows the limit, and says so of each chunk but an empty one', () => {
    const body = new BodyBuffer(10);
    expect([4, 6, 0, 1, 100].map((length) => body.push(bytes(length)))).toEqual([false, false, false, true, true]);
    expect(body.toBuffer()).toEqual(Buffer.concat([bytes(4), bytes(6)]));
  });

  it('with the limit 0 keeps nothing', () => {
    const body = new BodyBuffer(0);
    expect([body.push(bytes(0)), body.push(bytes(1)), body.length, body.toBuffer()]).toEqual([
      false,
      true,
      0,
      Buffer.alloc(0),
    ]);
  });

  it('is readable before the end, and grows further', () => {
    const body = new BodyBuffer(100);
    body.push(bytes(3));
    expect(body.toBuffer()).toEqual(bytes(3));
    body.push(bytes(2));
    expect(body.toBuffer()).toEqual(Buffer.concat([bytes(3), bytes(2)]));
  });

  it('has the first bytes of all chunks, whatever their sizes', () => {
    const size = fc.oneof(fc.nat(3), fc.integer({ min: 1_000, max: 1_100 }), fc.integer({ min: 16_000, max: 17_000 }));
    fc.assert(
      fc.property(fc.array(size, { maxLength: 12 }), fc.nat(60_000), (sizes, limit) => {
        const body = new BodyBuffer(limit);
        const all = bytes(sizes.reduce((sum, one) => sum + one, 0));
        let at = 0;
        const isCut = sizes.map((one) => body.push(all.subarray(at, (at += one))));
        expect(isCut.includes(true)).toBe(all.length > limit);
        expect(body.length).toBe(Math.min(all.length, limit));
        expect(body.toBuffer().equals(all.subarray(0, limit))).toBe(true);
      }),
    );
  });
});
