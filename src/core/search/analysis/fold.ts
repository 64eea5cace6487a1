/** Unicode folding: variant spellings of a word become one word. */

/** Other characters than letters, marks and digits: joiners, and spaces that NFKC yields (of an Arabic ligature). */
const NO_WORD = /[^\p{L}\p{M}\p{N}]+/gu;
const NON_ASCII = /[^\0-\x7f]/;
/** Accents, Hebrew points, Arabic vowel signs and tatweel. Not the vowel signs of Indian scripts. */
const DIACRITICS =
  /\u0640|[\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0610-\u061a\u064b-\u065f\u0670]/g;
/** Letters of their own, not accented ones: й, ў, ї, ѓ, ќ, as NFD writes them. */
const CYRILLIC_LETTER = /^(?:[\u0438\u0443]\u0306|\u0456\u0308|[\u0433\u043a]\u0301)$/;
/** Letters without a decomposition, and their usual replacements in ASCII. */
const PLAIN: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  ł: 'l',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ı: 'i',
  ħ: 'h',
  ς: 'σ',
};
const HAS_PLAIN = /[ßæœøłđðþıħς]/g;

/**
 * NFKC and lower case, without joiners: the form of stop lists and stemmers. Lower case does not depend on the locale, except for
 * Turkish and Azeri, where I and ı, İ and i are pairs.
 */
export function lowered(word: string, language: string | null): string {
  if (!NON_ASCII.test(word)) return turkic(language) && word.includes('I') ? turkishLower(word) : word.toLowerCase();
  const composed = word.normalize('NFKC').replace(NO_WORD, '');
  return (turkic(language) ? turkishLower(composed) : composed.toLowerCase()).normalize('NFKC');
}

const turkic = (language: string | null): boolean => language === 'tr' || language === 'az';
const turkishLower = (word: string): string => word.replaceAll('I', 'ı').replaceAll('İ', 'i').toLowerCase();

/**
 * Removes diacritics from a word in lower case. @param letters separate letters of the language (å in Swedish), which are kept
 */
export function folded(word: string, letters: string): string {
  if (!NON_ASCII.test(word)) return word;
  let plain = '';
  // Character by character, as some are kept; most words come here just once, as their terms are cached.
  for (const character of word) plain += letters.includes(character) ? character : withoutDiacritics(character);
  return plain;
}

function withoutDiacritics(character: string): string {
  if (character < '\x80') return character;
  const decomposed = character.normalize('NFD');
  if (CYRILLIC_LETTER.test(decomposed)) return character;
  return decomposed
    .replace(DIACRITICS, '')
    .normalize('NFC')
    .replace(HAS_PLAIN, (letter) => PLAIN[letter]!);
}
