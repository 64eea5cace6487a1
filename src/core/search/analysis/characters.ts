/** Character classes of the tokenizer (after UAX #29, by Unicode's general categories and scripts). */
export const SEPARATOR = 0;
/** A letter or a digit: begins or continues a word. */
export const WORD = 1;
/** A mark, a joiner or a soft hyphen: continues a word, but does not begin one. */
export const EXTEND = 2;
/** A letter of a script without spaces between words: Chinese, Japanese, Thai, Lao, Khmer, Burmese. */
export const UNSPACED = 3;
/** The first half of a surrogate pair: `classOfPair` returns the class of the character. */
export const PAIR = 4;

const UNKNOWN = 255;
const UNSPACED_SCRIPT =
  /^(?:[\p{sc=Han}\p{sc=Hira}\p{sc=Kana}\p{sc=Thai}\p{sc=Laoo}\p{sc=Khmr}\p{sc=Mymr}]|[\u30fc\uff70\uff9e\uff9f])$/u;
const LETTER = /^[\p{L}\p{Nd}\p{Nl}]$/u;
/** Marks, and format characters inside words: soft hyphen, joiners, the byte order mark. */
const EXTENDING = /^(?:\p{M}|\u00ad|\u200c|\u200d|\u2060|\ufeff)$/u;
const DIGITS = /^\p{Nd}+$/u;

const classes = new Uint8Array(0x10000).fill(UNKNOWN);

/** The class of a UTF-16 unit; lone second halves of pairs are separators. */
export function classOfUnit(unit: number): number {
  const known = classes[unit]!;
  if (known !== UNKNOWN) return known;
  const unitClass = unit >= 0xd800 && unit <= 0xdbff ? PAIR : classOf(String.fromCharCode(unit));
  classes[unit] = unitClass;
  return unitClass;
}

/** The class of the character that begins at a unit of class PAIR; a lone first half is a separator. */
export function classOfPair(text: string, at: number): number {
  const code = text.codePointAt(at)!;
  return code < 0x10000 ? SEPARATOR : classOf(String.fromCodePoint(code));
}

function classOf(character: string): number {
  if (UNSPACED_SCRIPT.test(character)) return /\p{P}|\p{S}/u.test(character) ? SEPARATOR : UNSPACED;
  if (LETTER.test(character)) return WORD;
  if (EXTENDING.test(character)) return EXTEND;
  // ² and ① are digits by NFKC, so CO₂ is one word; ½ is not (1⁄2).
  return DIGITS.test(character.normalize('NFKC')) ? WORD : SEPARATOR;
}
