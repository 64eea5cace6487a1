/** The note for a query that has only stop words, so that nobody wonders why it finds little. */
import { analyze } from '../analysis/analyze.js';
import type { ParsedQuery, QueryNode } from '../query.js';

const STOP_WORDS_ONLY =
  'The query has only stop words: they are found only as a title, and on pages in another language or an unknown one.';

/** @param language of the query; null: unknown, so that no word is a stop word */
export function stopWordsNote({ root }: ParsedQuery, language: string | null): string[] {
  const words = wantedWords(root);
  const areWords = (ofLanguage: string | null): boolean =>
    words.some(({ kind, text }) => kind === 'prefix' || analyze(text, ofLanguage).length > 0);
  return language !== null && areWords(null) && !areWords(language) ? [STOP_WORDS_ONLY] : [];
}

/** Words, phrases and prefixes that are searched for, not excluded. */
function wantedWords(node: QueryNode): Exclude<QueryNode, { kind: 'boolean' | 'filter' }>[] {
  if (node.kind === 'filter') return [];
  if (node.kind !== 'boolean') return [node];
  return node.clauses.flatMap((clause) => (clause.occur === 'must_not' ? [] : wantedWords(clause.node)));
}
