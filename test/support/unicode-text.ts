import fc, { type StringConstraints } from 'fast-check';

const character = fc.integer({ min: 0, max: 0x10_ff_ff }).map((code) => String.fromCodePoint(code));

/** Any text, lone surrogates included. fast-check's unit `binary` is the same, but makes a map of a million entries first (0.9 s). */
export const unicodeText = (bounds: Omit<StringConstraints, 'unit'> = {}): fc.Arbitrary<string> =>
  fc.string({ ...bounds, unit: character });
