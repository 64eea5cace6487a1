/**
 * The stemmer for Bulgarian (Savoy 2007, as Lucene's BulgarianStemmer): articles, plurals, then endings of gender.
 *
 * It replaces letters of a stem as well, which that of `@orama/stemmers` does in the string itself: it throws a TypeError.
 */

/** An ending, what replaces it, and the least length of a word that loses it. */
type EndingRule = readonly [ending: string, other: string, minLength: number];

const ARTICLES: readonly EndingRule[] = [
  ['ият', '', 7],
  ['ът', '', 6],
  ['то', '', 6],
  ['те', '', 6],
  ['та', '', 6],
  ['ия', '', 6],
  ['ят', '', 5],
];
const PLURALS: readonly EndingRule[] = [
  ['овци', 'о', 7],
  ['ове', '', 7],
  ['еве', 'й', 7],
  ['ища', '', 6],
  ['та', '', 6],
  ['ци', 'к', 6],
  ['зи', 'г', 6],
];
const LATER_PLURALS: readonly EndingRule[] = [
  ['си', 'х', 5],
  ['и', '', 5],
];
/** Applies the first rule that fits; undefined: none does. */
function replaced(word: string, rules: readonly EndingRule[]): string | undefined {
  const rule = rules.find(([ending, , minLength]) => word.length >= minLength && word.endsWith(ending));
  return rule && word.slice(0, -rule[0].length) + rule[1];
}

/** @param word in lower case */
export function bulgarian(word: string): string {
  if (word.length < 4) return word;
  if (word.length > 5 && word.endsWith('ища')) return word.slice(0, -3);
  let stem = singular(replaced(word, ARTICLES) ?? word);
  if (stem.length > 3) stem = stem.replace(/я$/, '').replace(/[аое]$/, '');
  if (stem.length > 4 && stem.endsWith('ен')) stem = `${stem.slice(0, -2)}н`;
  // The vowel of a last syllable, which forms with endings lack.
  return stem.length > 5 && stem.at(-2) === 'ъ' ? stem.slice(0, -2) + stem.at(-1)! : stem;
}

function singular(word: string): string {
  const form = replaced(word, PLURALS);
  if (form !== undefined) return form;
  if (word.length > 5 && word.endsWith('и') && word.at(-3) === 'е') return `${word.slice(0, -3)}я${word.at(-2)!}`;
  return replaced(word, LATER_PLURALS) ?? word;
}
