/** Rules of each language: stemmer (Snowball), stop words, and letters that folding keeps. */
import { stemmer as arabic } from '@orama/stemmers/arabic';
import { stemmer as armenian } from '@orama/stemmers/armenian';
import { stemmer as danish } from '@orama/stemmers/danish';
import { stemmer as dutch } from '@orama/stemmers/dutch';
import { stemmer as finnish } from '@orama/stemmers/finnish';
import { stemmer as french } from '@orama/stemmers/french';
import { stemmer as german } from '@orama/stemmers/german';
import { stemmer as greek } from '@orama/stemmers/greek';
import { stemmer as hungarian } from '@orama/stemmers/hungarian';
import { stemmer as hindi } from '@orama/stemmers/indian';
import { stemmer as indonesian } from '@orama/stemmers/indonesian';
import { stemmer as irish } from '@orama/stemmers/irish';
import { stemmer as italian } from '@orama/stemmers/italian';
import { stemmer as lithuanian } from '@orama/stemmers/lithuanian';
import { stemmer as nepali } from '@orama/stemmers/nepali';
import { stemmer as norwegian } from '@orama/stemmers/norwegian';
import { stemmer as portuguese } from '@orama/stemmers/portuguese';
import { stemmer as romanian } from '@orama/stemmers/romanian';
import { stemmer as russian } from '@orama/stemmers/russian';
import { stemmer as serbian } from '@orama/stemmers/serbian';
import { stemmer as spanish } from '@orama/stemmers/spanish';
import { stemmer as swedish } from '@orama/stemmers/swedish';
import { stemmer as tamil } from '@orama/stemmers/tamil';
import { stemmer as turkish } from '@orama/stemmers/turkish';
import { stemmer as ukrainian } from '@orama/stemmers/ukrainian';
import { bulgarian } from './bulgarian.js';
import { english } from './english.js';
import { stopWordsOf } from './stop-words.js';

export type Stem = (word: string) => string;

export interface LanguageRules {
  readonly stem: Stem | null;
  readonly stopWords: ReadonlySet<string>;
  /** Letters with diacritics that count as separate letters, like Swedish å. */
  readonly letters: string;
}

const STEMMERS: Readonly<Record<string, Stem>> = {
  ar: arabic,
  bg: bulgarian,
  da: danish,
  de: german,
  el: greek,
  en: english,
  es: spanish,
  fi: finnish,
  fr: french,
  ga: irish,
  hi: hindi,
  hu: hungarian,
  hy: armenian,
  id: indonesian,
  it: italian,
  lt: lithuanian,
  ne: nepali,
  nl: dutch,
  no: norwegian,
  pt: portuguese,
  ro: romanian,
  ru: russian,
  sr: serbian,
  sv: swedish,
  ta: tamil,
  tr: turkish,
  uk: ukrainian,
};

const LETTERS: Readonly<Record<string, string>> = {
  da: 'åæø',
  es: 'ñ',
  et: 'äöõü',
  fi: 'åäö',
  hu: 'öőüű',
  no: 'åæø',
  sv: 'åäö',
};

/** Bokmål and Nynorsk share a stemmer. */
const ALIASES: Readonly<Record<string, string>> = { nb: 'no', nn: 'no' };

/** Whether there are rules for a language; for Azerbaijani only its dotless i is folded (fold.ts). @param code ISO 639-1 */
export const hasRules = (code: string): boolean =>
  [STEMMERS, LETTERS, ALIASES].some((table) => Object.hasOwn(table, code)) || code === 'az';

/** @param language ISO 639-1; null: unknown */
export function rulesOf(language: string | null): LanguageRules {
  const code = language === null ? '' : (ALIASES[language] ?? language);
  return {
    stem: Object.hasOwn(STEMMERS, code) ? STEMMERS[code]! : null,
    stopWords: stopWordsOf(code),
    letters: Object.hasOwn(LETTERS, code) ? LETTERS[code]! : '',
  };
}
