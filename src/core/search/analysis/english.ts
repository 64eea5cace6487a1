/** Snowball's stemmer for English (Porter 2), https://snowballstem.org/algorithms/english/stemmer.html; y as a consonant is Y. */

const EXCEPTIONS: Readonly<Record<string, string>> = {
  skis: 'ski',
  skies: 'sky',
  idly: 'idl',
  gently: 'gentl',
  ugly: 'ugli',
  early: 'earli',
  only: 'onli',
  singly: 'singl',
  sky: 'sky',
  news: 'news',
  howe: 'howe',
  atlas: 'atlas',
  cosmos: 'cosmos',
  bias: 'bias',
  andes: 'andes',
};
/** Not changed after step 1a. */
const INVARIANT = /^(?:inning|outing|canning|herring|earring|evening|proceed|exceed|succeed)$/;
const REGION_PREFIX = /^(?:gener|commun|arsen|past|univers|later|emerg|organ|inter)/;

/** Longest suffix first; a suffix is replaced if it is in R1. */
const STEP_2: readonly (readonly [suffix: string, by: string])[] = [
  ['ization', 'ize'],
  ['ational', 'ate'],
  ['fulness', 'ful'],
  ['ousness', 'ous'],
  ['iveness', 'ive'],
  ['tional', 'tion'],
  ['biliti', 'ble'],
  ['lessli', 'less'],
  ['entli', 'ent'],
  ['ation', 'ate'],
  ['alism', 'al'],
  ['aliti', 'al'],
  ['ousli', 'ous'],
  ['iviti', 'ive'],
  ['fulli', 'ful'],
  ['ogist', 'og'],
  ['enci', 'ence'],
  ['anci', 'ance'],
  ['abli', 'able'],
  ['izer', 'ize'],
  ['ator', 'ate'],
  ['alli', 'al'],
  ['bli', 'ble'],
  ['ogi', 'og'],
  ['li', ''],
];
const STEP_3: readonly (readonly [suffix: string, by: string])[] = [
  ['ational', 'ate'],
  ['tional', 'tion'],
  ['alize', 'al'],
  ['icate', 'ic'],
  ['iciti', 'ic'],
  ['ative', ''],
  ['ical', 'ic'],
  ['ness', ''],
  ['ful', ''],
];
const STEP_4 = 'ement ance ence able ible ment ant ent ism ate iti ous ive ize ion al er ic'.split(' ');

const VOWEL = /[aeiouy]/;
const isVowel = (letter: string | undefined): boolean => letter !== undefined && 'aeiouy'.includes(letter);

/** Stems a word in lower case, without apostrophes: the tokenizer splits words at them. */
export function english(word: string): string {
  if (word.length < 3) return word;
  if (Object.hasOwn(EXCEPTIONS, word)) return EXCEPTIONS[word]!;
  const written = withConsonants(word);
  const r1 = firstRegion(written);
  const r2 = regionFrom(written, r1);
  let stem = step1a(written);
  if (INVARIANT.test(stem)) return stem;
  stem = step1c(step1b(stem, r1));
  stem = replaced(stem, STEP_2, r1, (suffix, before) => isStep2(suffix, before));
  stem = replaced(stem, STEP_3, r1, (suffix, before) => suffix !== 'ative' || before.length >= r2);
  stem = step5(step4(stem, r2), r1, r2);
  return stem.includes('Y') ? stem.toLowerCase() : stem;
}

/** An initial y, and one after a vowel, is a consonant. */
function withConsonants(word: string): string {
  if (!word.includes('y')) return word;
  let written = '';
  for (const letter of word) written += letter === 'y' && (written === '' || isVowel(written.at(-1))) ? 'Y' : letter;
  return written;
}

function firstRegion(word: string): number {
  const prefix = REGION_PREFIX.exec(word);
  return prefix ? prefix[0].length : regionFrom(word, 0);
}

/** The position after the first consonant that follows a vowel; the end of the word if there is none. */
function regionFrom(word: string, from: number): number {
  for (let at = from + 1; at < word.length; at++) if (!isVowel(word[at]) && isVowel(word[at - 1])) return at + 1;
  return word.length;
}

function step1a(word: string): string {
  if (word.endsWith('sses')) return word.slice(0, -2);
  if (word.endsWith('ied') || word.endsWith('ies')) return word.slice(0, word.length > 4 ? -2 : -1);
  if (!word.endsWith('s') || word.endsWith('us') || word.endsWith('ss')) return word;
  // A vowel that is not just before the s: gas stays, gaps does not.
  return VOWEL.test(word.slice(0, -2)) ? word.slice(0, -1) : word;
}

function step1b(word: string, r1: number): string {
  const eed = /eed(?:ly)?$/.exec(word);
  if (eed) return eed.index >= r1 ? word.slice(0, eed.index + 2) : word;
  const suffix = /(?:ed|ing)(?:ly)?$/.exec(word);
  if (!suffix) return word;
  const stem = word.slice(0, suffix.index);
  if (suffix[0] === 'ing' && /^[^aeiouy]y$/.test(stem)) return `${stem[0]}ie`;
  if (!VOWEL.test(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  // Hopping is hop, but egging is egg.
  if (/(?:bb|dd|ff|gg|mm|nn|pp|rr|tt)$/.test(stem)) return /^[aeo]..$/.test(stem) ? stem : stem.slice(0, -1);
  return isShort(stem, r1) ? `${stem}e` : stem;
}

function step1c(word: string): string {
  return /[^aeiouy][yY]$/.test(word) && word.length > 2 ? `${word.slice(0, -1)}i` : word;
}

function isStep2(suffix: string, before: string): boolean {
  if (suffix === 'ogi') return before.endsWith('l');
  return suffix !== 'li' || /[cdeghkmnrt]$/.test(before);
}

/** Only the longest suffix that matches is considered, even if its condition does not hold. */
function replaced(
  word: string,
  table: readonly (readonly [string, string])[],
  region: number,
  holds: (suffix: string, before: string) => boolean,
): string {
  for (const [suffix, by] of table) {
    if (!word.endsWith(suffix)) continue;
    const before = word.slice(0, -suffix.length);
    return before.length >= region && holds(suffix, before) ? before + by : word;
  }
  return word;
}

function step4(word: string, r2: number): string {
  const suffix = STEP_4.find((each) => word.endsWith(each));
  if (suffix === undefined) return word;
  const before = word.slice(0, -suffix.length);
  if (before.length < r2 || (suffix === 'ion' && !/[st]$/.test(before))) return word;
  return before;
}

function step5(word: string, r1: number, r2: number): string {
  const before = word.slice(0, -1);
  if (word.endsWith('e')) {
    const goes = before.length >= r2 || (before.length >= r1 && !endsInShortSyllable(before));
    return goes ? before : word;
  }
  return word.endsWith('ll') && before.length >= r2 ? before : word;
}

/** Consonant, vowel, consonant other than w, x, Y at the end; or the whole word is a vowel and a consonant. */
function endsInShortSyllable(word: string): boolean {
  return /[^aeiouy][aeiouy][^aeiouywxY]$/.test(word) || /^[aeiouy][^aeiouy]$/.test(word) || word.endsWith('past');
}

const isShort = (word: string, r1: number): boolean => r1 >= word.length && endsInShortSyllable(word);
