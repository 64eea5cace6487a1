import fc, { type StringConstraints } from 'fast-check';

const SURROGATES = 0x8_00;

/** Each code point except surrogates. */
const character = fc
  .integer({ min: 0, max: 0x10_ff_ff - SURROGATES })
  .map((code) => String.fromCodePoint(code < 0xd8_00 ? code : code + SURROGATES));

/** Any well-formed text: as fast-check's unit `binary`, which first makes a map of a million entries (0.9 s). */
export const unicodeText = (bounds: Omit<StringConstraints, 'unit'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...bounds, unit: character });
