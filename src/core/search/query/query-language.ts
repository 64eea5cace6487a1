/**
 * The probable language of a query, of those of the documents of an index, by the stop words that it contains.
 *
 * Documents have no postings of the stop words of their language. Searched for as words, the Spanish ones of a query find the
 * French and Portuguese pages that have them, before any Spanish one.
 */
import { analyze, forEachToken } from '../analysis/analyze.js';
import type { TokenLimits } from '../analysis/token-stream.js';
import type { ParsedQuery, QueryNode } from '../query.js';

/** A language of documents, and how many there are; null: unknown. */
export interface LanguageCount {
  readonly language: string | null;
  readonly documents: number;
}

/** By how much a stop word makes its language more probable: as much as 20 times the number of documents. */
const PER_STOP_WORD = Math.log(20);
const LIMITS: TokenLimits = { maxTokens: 32, maxLength: 128 };
/**
 * A letter alone that says nothing about the language: a consonant is an elided word only beside an apostrophe (l'avion), and a
 * capital is mostly a name (vitamin C, C++, Y axis).
 */
const NAME = /^(?:[b-df-hj-np-tv-xz]|[A-Z])$/;
const APOSTROPHE = /['’]/;

/**
 * The languages, that of the query first.
 * @param languages the most frequent one first; it stays first if there are no stop words
 */
export function likelyFirst({ root }: ParsedQuery, languages: readonly LanguageCount[]): (string | null)[] {
  const text = queryTexts(root).join(' ');
  const candidates = languages.map(({ language, documents }) => ({
    language,
    evidence: Math.log(documents) + PER_STOP_WORD * stopWordsIn(text, language),
  }));
  const most = Math.max(...candidates.map(({ evidence }) => evidence));
  const isLikely = ({ evidence }: { evidence: number }): boolean => evidence === most;
  return [...candidates.filter(isLikely), ...candidates.filter((candidate) => !isLikely(candidate))].map(
    ({ language }) => language,
  );
}

function queryTexts(node: QueryNode): string[] {
  if (node.kind === 'boolean') return node.clauses.flatMap((clause) => queryTexts(clause.node));
  return node.kind === 'word' || node.kind === 'phrase' ? [node.text] : [];
}

function stopWordsIn(text: string, language: string | null): number {
  const words = new Set<number>();
  forEachToken(text, language, (_term, _word, position) => words.add(position), LIMITS);
  return analyze(text, null, LIMITS).filter(
    ({ position, start, end }) => !words.has(position) && !isName(text, start, end),
  ).length;
}

const isName = (text: string, start: number, end: number): boolean =>
  NAME.test(text.slice(start, end)) && !APOSTROPHE.test(text.charAt(start - 1) + text.charAt(end));
