/** Plans a query: converts its words to terms of the index, in the languages of its documents. */
import { DAY_MS } from '../../day.js';
import { MAX_INT32 } from '../../int32.js';
import { analyze } from '../analysis/analyze.js';
import { analyzerOf } from '../analysis/analyzer.js';
import { exactTerm, filterTerm, titleTerm } from '../postings/site-terms.js';
import type { ParsedQuery, QueryClause, QueryNode } from '../query.js';
import { stopWordsNote } from '../query/stop-words-only.js';
import { searchFields } from '../search-fields.js';
import { AS_WRITTEN } from './ranking-numbers.js';

/** A word: its term in each language. */
export interface TermLeaf {
  readonly kind: 'term';
  readonly terms: readonly string[];
  /** Terms of the word as written; equal to `terms` if it is its own stem. */
  readonly written: readonly string[];
  /** Index of the field in `searchFields`; null: any field. */
  readonly field: number | null;
  readonly weight: number;
  /** Added by feedback: does not count for the coverage of titles. */
  readonly isExpansion: boolean;
}

export interface PrefixLeaf {
  readonly kind: 'prefix';
  /** Its form in each language, that of the query first: only some languages keep å. */
  readonly prefixes: readonly string[];
  /** The terms with one of the prefixes, added when they are looked up. */
  readonly terms: string[];
  readonly field: number | null;
  readonly weight: number;
}

/** Words with their positions, in each language. */
export interface PhraseLeaf {
  readonly kind: 'phrase';
  readonly alternatives: readonly (readonly PhraseWord[])[];
  readonly field: number | null;
  readonly weight: number;
  readonly slop: number;
}

export interface PhraseWord {
  readonly term: string;
  readonly position: number;
}

export interface FilterLeaf {
  readonly kind: 'filter';
  readonly term: string;
}

/** Days since 1970-01-01, both included. */
export interface DaysLeaf {
  readonly kind: 'days';
  readonly from: number;
  readonly to: number;
}

export interface PlanBoolean {
  readonly kind: 'boolean';
  readonly clauses: readonly PlanClause[];
  readonly weight: number;
}

export type ScoredLeaf = TermLeaf | PrefixLeaf | PhraseLeaf;
export type PlanLeaf = ScoredLeaf | FilterLeaf | DaysLeaf;
export type PlanNode = PlanLeaf | PlanBoolean;

export interface PlanClause {
  readonly occur: QueryClause['occur'];
  readonly node: PlanNode;
}

export interface QueryPlan {
  readonly root: PlanBoolean;
  /** Number of words by which the coverage of titles is computed. */
  readonly words: number;
  /** The term of documents whose title equals the query (`titleTerm`); null: the query has no words. */
  readonly title: string | null;
  readonly notes: readonly string[];
}

/** Maximum of words of a query; further ones are ignored. */
export const MAX_WORDS = 32;
const MAX_PHRASE_WORDS = 16;
const NO_DAYS = [-MAX_INT32, MAX_INT32] as const;

export interface PlanOptions {
  /** Those of the documents, that of the query first (`likelyFirst`); null: unknown. */
  readonly languages: readonly (string | null)[];
  /** Whether a repeated word is one with the sum of its weights. Lucene counts each as a clause of its own. */
  readonly mergesWords: boolean;
  /** Whether a query of stop words alone finds the pages whose title it is. */
  readonly findsTitles: boolean;
}

/** @param text the query as typed */
export function planQuery(text: string, parsed: ParsedQuery, options: PlanOptions): QueryPlan {
  const { languages, mergesWords, findsTitles } = options;
  const planner = new Planner(languages.length > 0 ? languages : [null], mergesWords);
  const planned = planner.boolean(parsed.root);
  const stop = stopWordsNote(parsed, languages[0] ?? null);
  const left = planner.leftOut ? [`Only the first ${MAX_WORDS} words were searched for.`] : [];
  const cut = planner.phraseCut ? [`Of a phrase only the first ${MAX_PHRASE_WORDS} words were searched for.`] : [];
  const words = countWords(planned);
  const notes = [...parsed.notes, ...left, ...cut, ...stop];
  const title = words > 0 ? titleTerm(text) : null;
  const root = findsTitles && stop.length > 0 && title !== null ? withTitle(planned, title) : planned;
  return { root, words, title, notes };
}

/** A page whose title has only stop words has no other term in common with the query. */
const withTitle = (root: PlanBoolean, title: string): PlanBoolean => {
  const leaf = termLeaf({ terms: new Set([title]), written: new Set([title]) }, { field: null, weight: 1 });
  return { ...root, clauses: [...root.clauses, { occur: 'should', node: { ...leaf, isExpansion: true } }] };
};

/** The field and the boost of words. */
interface Within {
  readonly field: number | null;
  readonly weight: number;
}

class Planner {
  leftOut = false;
  phraseCut = false;
  private words = 0;

  constructor(
    private readonly languages: readonly (string | null)[],
    private readonly mergesWords: boolean,
  ) {}

  boolean({ clauses, boost }: Extract<QueryNode, { kind: 'boolean' }>): PlanBoolean {
    const planned = this.clauses(clauses, this.languages);
    // The query has only stop words: without a language, they are searched for. Brackets within have tried that already: again at
    // each depth, their cost would double with it.
    const words = clauses.filter((clause) => clause.node.kind !== 'boolean');
    const planClauses = planned.length > 0 ? planned : this.clauses(words, [null]);
    return { kind: 'boolean', clauses: this.mergesWords ? merged(planClauses) : planClauses, weight: boost ?? 1 };
  }

  private clauses(clauses: readonly QueryClause[], languages: readonly (string | null)[]): PlanClause[] {
    return clauses.flatMap(({ occur, node }): PlanClause[] => {
      const planned = this.node(node, languages);
      if (planned.length <= 1 || occur === 'should') return planned.map((planNode) => ({ occur, node: planNode }));
      const required = planned.map((planNode): PlanClause => ({ occur: 'must', node: planNode }));
      return [{ occur, node: { kind: 'boolean', clauses: required, weight: 1 } }];
    });
  }

  /** Plans a node: a word such as `foo-bar` becomes several leaves, a stop word none. */
  private node(node: QueryNode, languages: readonly (string | null)[]): PlanNode[] {
    if (node.kind === 'boolean') {
      const inner = this.boolean(node);
      return inner.clauses.length > 0 ? [inner] : [];
    }
    if (node.kind === 'filter') return [filterLeaf(node)];
    const within = { field: node.field === null ? null : searchFields.indexOf(node.field), weight: node.boost ?? 1 };
    if (node.kind === 'phrase') return this.phrase(node.text, { ...within, slop: node.slop ?? 0 });
    if (node.kind === 'prefix') return this.prefix(node.text, within);
    return this.terms(node.text, within, languages);
  }

  private terms(text: string, within: Within, languages: readonly (string | null)[]): TermLeaf[] {
    // Stop words of the language of the query are ignored in the others, too.
    const words = new Map<number, WordTerms>();
    for (const [at, language] of languages.entries()) {
      for (const { position, term, word } of analyze(text, language)) {
        if (at === 0) words.set(position, { terms: new Set(), written: new Set() });
        words.get(position)?.terms.add(term);
        words.get(position)?.written.add(word === term ? term : exactTerm(word));
      }
    }
    return this.bounded([...words.values()].map((wordTerms) => termLeaf(wordTerms, within)));
  }

  private phrase(text: string, within: Within & { slop: number }): PlanLeaf[] {
    const analyzed = this.languages.map((language) => analyze(text, language));
    this.phraseCut ||= analyzed.some(({ length }) => length > MAX_PHRASE_WORDS);
    const all = analyzed.map((words) => words.slice(0, MAX_PHRASE_WORDS)).filter((words) => words.length > 0);
    if (all.length === 0) return this.terms(text, within, [null]);
    if (all.every((words) => words.length === 1)) return this.terms(text, within, this.languages);
    const alternatives = all.map((words) => words.map(({ term, position }) => ({ term, position })));
    const different = new Map(alternatives.map((words) => [JSON.stringify(words), words]));
    return this.bounded([{ kind: 'phrase', alternatives: [...different.values()], ...within }]);
  }

  private prefix(text: string, within: Within): PlanLeaf[] {
    const last = analyze(text, null).at(-1);
    if (last === undefined) return [];
    const written = text.slice(last.start, last.end);
    const prefixes = new Set(this.languages.map((language) => analyzerOf(language).wordOf(written).word));
    const before = this.terms(text.slice(0, last.start), within, this.languages);
    return [...before, ...this.bounded([{ kind: 'prefix' as const, prefixes: [...prefixes], terms: [], ...within }])];
  }

  private bounded<T extends PlanLeaf>(leaves: readonly T[]): T[] {
    const fitting = leaves.slice(0, Math.max(0, MAX_WORDS - this.words));
    this.words += fitting.length;
    if (fitting.length < leaves.length) this.leftOut = true;
    return fitting;
  }
}

/** The terms of a word in the languages of the documents. */
interface WordTerms {
  readonly terms: Set<string>;
  readonly written: Set<string>;
}

const termLeaf = ({ terms, written }: WordTerms, within: Within): TermLeaf => ({
  kind: 'term',
  terms: [...terms],
  written: [...written],
  ...within,
  isExpansion: false,
});

function filterLeaf({ name, value }: Extract<QueryNode, { kind: 'filter' }>): FilterLeaf | DaysLeaf {
  if (name !== 'date') return { kind: 'filter', term: filterTerm(name, value) };
  const [from = '', to = ''] = value.split('..');
  const day = (text: string, otherwise: number): number => (text === '' ? otherwise : Date.parse(text) / DAY_MS);
  return { kind: 'days', from: day(from, NO_DAYS[0]), to: day(to, NO_DAYS[1]) };
}

/** Merges repeated words: their weights are added. */
function merged(clauses: readonly PlanClause[]): PlanClause[] {
  const clausesByKey = new Map<string, PlanClause>();
  for (const [at, clause] of clauses.entries()) {
    const { occur, node } = clause;
    const key = node.kind === 'term' ? JSON.stringify([occur, node.terms, node.field]) : String(at);
    const before = clausesByKey.get(key)?.node;
    const isTwice = node.kind === 'term' && before?.kind === 'term';
    clausesByKey.set(key, isTwice ? { occur, node: bothLeaves(before, node) } : clause);
  }
  return [...clausesByKey.values()];
}

/** One leaf with the terms and the weights of both. */
export const bothLeaves = (earlier: TermLeaf, later: TermLeaf): TermLeaf => ({
  ...later,
  terms: [...new Set([...earlier.terms, ...later.terms])],
  written: [...new Set([...earlier.written, ...later.written])],
  weight: earlier.weight + later.weight,
});

interface WordForm {
  readonly terms: readonly string[];
  readonly weight: number;
  /** Whether it counts for the coverage of titles. */
  readonly countsTitles: boolean;
}

/** The terms of a word in any form, and of the word as written, with the weights of both. */
export function formsOf({ terms, written, weight, isExpansion }: TermLeaf): WordForm[] {
  const isOwnStem = written.length === terms.length && written.every((term) => terms.includes(term));
  if (isOwnStem) return [{ terms, weight, countsTitles: !isExpansion }];
  return [
    { terms, weight: (1 - AS_WRITTEN) * weight, countsTitles: !isExpansion },
    { terms: written, weight: AS_WRITTEN * weight, countsTitles: false },
  ];
}

/** All leaves of a plan, including excluding ones. */
export const leavesOf = (node: PlanNode): PlanLeaf[] =>
  node.kind === 'boolean' ? node.clauses.flatMap((clause) => leavesOf(clause.node)) : [node];

/** Leaves that score. */
export function scoredLeaves(node: PlanNode): ScoredLeaf[] {
  if (node.kind === 'boolean')
    return node.clauses.flatMap(({ occur, node: inner }) => (occur === 'must_not' ? [] : scoredLeaves(inner)));
  return node.kind === 'filter' || node.kind === 'days' ? [] : [node];
}

/** Terms that a leaf looks up. */
export function termsOfLeaf(leaf: PlanLeaf): readonly string[] {
  if (leaf.kind === 'phrase') return leaf.alternatives.flatMap((words) => words.map(({ term }) => term));
  if (leaf.kind === 'filter') return [leaf.term];
  if (leaf.kind === 'days') return [];
  return leaf.kind === 'term' ? [...leaf.terms, ...leaf.written] : leaf.terms;
}

function countWords(root: PlanNode): number {
  return scoredLeaves(root).reduce((sum, leaf) => {
    if (leaf.kind === 'phrase') return sum + Math.min(...leaf.alternatives.map(({ length }) => length));
    return sum + 1;
  }, 0);
}

/** Appended to a prefix: sorts after all terms with that prefix. */
const LAST = '\u{10ffff}';

/** The ranges of terms with prefixes: of terms, and of words as written. */
export const prefixRanges = (prefixes: readonly string[]): { from: string; to: string }[] =>
  prefixes.flatMap((prefix) => [prefix, exactTerm(prefix)]).map((from) => ({ from, to: from + LAST }));
