/**
 * Parses the text of a user as a query (docs/search.md, "Query language"). Every text is a query: invalid parts are
 * reinterpreted, with a note. Linear in the length of the text, and bounded.
 */
import type { FilterName, ParsedQuery, QueryClause, QueryNode } from '../query.js';
import { type SearchField, searchFields } from '../search-fields.js';
import { startOf } from '../../text-start.js';
import { MAX_BOOST, boundBoosts } from './bound-boosts.js';
import { type ReadItem, bracketed, combineClauses } from './combine-clauses.js';
import { filterValue, hasPath } from './filter-value.js';
import { type QuerySymbol, QueryScanner, type Sign } from './query-scanner.js';

const MAX_LENGTH = 8_192;
/** Maximum of words, including those of phrases and filters. The number of terms is limited when they are looked up. */
const MAX_WORDS = 128;
const MAX_WORD_LENGTH = 256;
const MAX_DEPTH = 16;
const MAX_NOTES = 8;
const MAX_QUOTED = 40;
const MIN_PREFIX = 2;
/** A star before, in or after a word. */
const INNER_STAR = /\*[\p{L}\p{N}]|[\p{L}\p{N}]\*/u;
/** `word~`, `word~1` and `word~0.8`. */
const FUZZY = /^[\p{L}\p{N}]+~(?:\d(?:\.\d+)?)?$/u;

const filterNames: readonly string[] = ['site', 'host', 'lang', 'type', 'date', 'segment'] satisfies FilterName[];
/** Without `host`: `host:` is a filter. */
const fieldNames: readonly string[] = searchFields.filter((name) => name !== 'host');

/** A field or filter before a bracket applies to all words in it. */
type Scope = { readonly name: string } | null;

type WordSymbol = Extract<QuerySymbol, { kind: 'word' | 'phrase' }>;

/** @param text control characters count as spaces, lone surrogates as U+FFFD */
export function parseQuery(text: string): ParsedQuery {
  return new QueryParser(text).parse();
}

class QueryParser {
  readonly #scanner: QueryScanner;
  readonly #notes = new Set<string>();
  #words = 0;
  #depth = 0;
  /** Open brackets that are ignored as they are nested too deeply. */
  #tooDeep = 0;
  #isFull = false;
  /** Of the last closed bracket. */
  #boost: number | undefined;

  constructor(text: string) {
    if (text.length > MAX_LENGTH) this.#note(`Only the first ${MAX_LENGTH} characters were read.`);
    // PostgreSQL accepts neither NUL nor lone surrogates.
    this.#scanner = new QueryScanner(
      text
        .slice(0, MAX_LENGTH)
        .toWellFormed()
        .replaceAll(/\p{Cc}/gu, ' '),
    );
  }

  parse(): ParsedQuery {
    const clauses = this.#clauses(null);
    if (this.#scanner.lonelyQuotes > 0) this.#note('A quotation mark without its partner was left out.');
    const { longBoost } = this.#scanner;
    if (longBoost !== undefined)
      this.#note(
        `A boost has at most three digits before its point and three after it: ${quoted(longBoost)} was read as a word.`,
      );
    const isFinding = clauses.some(({ occur }) => occur !== 'must_not');
    if (clauses.length > 0 && !isFinding)
      this.#note('A query of exclusions alone finds nothing: add a word to search for.');
    if (clauses.length === 0) this.#note('There is no word to search for.');
    const written = { kind: 'boolean', clauses } as const;
    const root = boundBoosts(written);
    if (root !== written) this.#note(`Boosts that multiply to more than ${MAX_BOOST} were reduced to that.`);
    return { root, notes: [...this.#notes] };
  }

  /** Parses up to the closing bracket or the end. */
  #clauses(scope: Scope): QueryClause[] {
    const items: ReadItem[] = [];
    let operators: WrittenOperator[] = [];
    for (let symbol = this.#next(); symbol !== null; symbol = this.#next()) {
      if (symbol.kind === 'close') {
        if (!this.#isClosing()) continue;
        this.#boost = symbol.boost;
        break;
      }
      const operator = operatorOf(symbol);
      if (operator !== undefined) {
        operators.push(operator);
        continue;
      }
      const read = this.#items(symbol, scope);
      if (read.length === 0) continue;
      items.push(...this.#joined(read, operators, items.length === 0));
      operators = [];
    }
    items.push(...this.#asWords(operators, scope));
    return combineClauses(items);
  }

  #next(): QuerySymbol | null {
    if (this.#isFull) return null;
    const symbol = this.#scanner.next();
    if (symbol === null && this.#depth > 0) this.#note('A bracket that was not closed ends with the query.');
    return symbol;
  }

  /** Whether a closing bracket ends the current clauses. */
  #isClosing(): boolean {
    if (this.#tooDeep > 0) {
      this.#tooDeep--;
      return false;
    }
    if (this.#depth === 0) this.#note('A bracket that closes nothing was left out.');
    return this.#depth > 0;
  }

  #items(symbol: Exclude<QuerySymbol, { kind: 'close' }>, scope: Scope): ReadItem[] {
    const { field, sign } = symbol;
    const isKnown = field === null || this.#isKnown(field);
    const own = field !== null && isKnown ? { name: field.toLowerCase() } : scope;
    if (symbol.kind === 'word') {
      const text = isKnown ? symbol.text : `${field}:${symbol.text}`;
      return this.#leaf({ ...symbol, text }, own);
    }
    const before = isKnown ? [] : this.#leaf(plainWord(field!, sign), scope);
    return [...before, ...(symbol.kind === 'phrase' ? this.#leaf(symbol, own) : this.#brackets(sign, own))];
  }

  #isKnown(field: string): boolean {
    const name = field.toLowerCase();
    if (fieldNames.includes(name) || filterNames.includes(name)) return true;
    this.#note(`There is no field ${quoted(field)}: it was read as a word.`);
    return false;
  }

  #brackets(sign: Sign, scope: Scope): ReadItem[] {
    if (this.#depth >= MAX_DEPTH) {
      this.#tooDeep++;
      this.#note(`Brackets deeper than ${MAX_DEPTH} were left out.`);
      return [];
    }
    this.#depth++;
    this.#boost = undefined;
    const clauses = this.#clauses(scope);
    this.#depth--;
    if (clauses.length === 0) return [];
    const { node, sign: signOf } = bracketed(clauses, sign);
    return [{ node: boosted(node, this.#boost), sign: signOf, joined: '' }];
  }

  /** A word, a prefix, a phrase or a filter; none if there is no letter and no digit. */
  #leaf(written: WordSymbol, scope: Scope): ReadItem[] {
    if (!/[\p{L}\p{N}]/u.test(written.text) || !this.#counts(1)) return [];
    const { sign } = written;
    if (scope !== null && filterNames.includes(scope.name)) {
      const name = scope.name as FilterName;
      const value = filterValue(name, written.text.trim());
      if (value !== null) {
        if ((name === 'site' || name === 'host') && hasPath(written.text.trim()))
          this.#note(
            `Of ${quoted(`${name}:${written.text}`)} only the host counts: for the path add words, such as url:docs.`,
          );
        return [{ node: { kind: 'filter', name, value }, sign, joined: '' }];
      }
      this.#note(`${quoted(`${scope.name}:${written.text}`)} is no filter: it was read as words.`);
    }
    const field = scope !== null && fieldNames.includes(scope.name) ? (scope.name as SearchField) : null;
    return [
      { node: written.kind === 'word' ? this.#word(written, field) : this.#phrase(written, field), sign, joined: '' },
    ];
  }

  #word({ text, boost }: WordSymbol, field: SearchField | null): QueryNode {
    const weight = boost === undefined ? {} : { boost };
    const stars = /\*+$/.exec(text)?.[0].length ?? 0;
    const written = this.#cut(text.slice(0, text.length - stars));
    this.#noteSigns(written);
    const word = OPERATORS.get(written) === written ? written.toLowerCase() : written;
    if (stars === 0) return { kind: 'word', text: word, field, ...weight };
    const letters = word.match(/[\p{L}\p{N}]/gu) ?? [];
    // One character of a script without an alphabet is a word.
    if (letters.length >= MIN_PREFIX || letters[0]! > '\u2e80') return { kind: 'prefix', text: word, field, ...weight };
    this.#note(`The prefix ${quoted(text)} is too short: it takes ${MIN_PREFIX} letters. It was read as a word.`);
    return { kind: 'word', text: word, field, ...weight };
  }

  #phrase({ text, boost, ...written }: WordSymbol, field: SearchField | null): QueryNode {
    this.#noteSigns(text);
    const words = text.trim().split(/\s+/);
    const kept = words.filter((_, at) => at === 0 || this.#counts(1)).map((word) => this.#cut(word));
    const slop = written.kind === 'phrase' && written.slop ? { slop: written.slop } : {};
    return { kind: 'phrase', text: kept.join(' '), field, ...slop, ...(boost === undefined ? {} : { boost }) };
  }

  /** Signs that have a meaning in Lucene, and none here. */
  #noteSigns(text: string): void {
    if (INNER_STAR.test(text))
      this.#note(
        `${quoted(text)} was read as words: * stands for letters only at the end of a word, outside of quotation marks.`,
      );
    if (FUZZY.test(text))
      this.#note(`${quoted(text)} was read as words: words that are similar (~) are not searched for.`);
  }

  /** Adds items, with the operator between the first of them and the previous item. */
  #joined(read: readonly ReadItem[], operators: readonly WrittenOperator[], isFirst: boolean): ReadItem[] {
    const joining = operators.filter(({ meaning }) => meaning !== 'NOT');
    const joined = (joining.at(-1)?.meaning ?? '') as ReadItem['joined'];
    if (joining.length > 1) this.#note(`Of ${joining.map(({ text }) => text).join(' ')} only the last was read.`);
    const before = isFirst ? this.#asWords(joining.slice(-1), null) : [];
    const [first, ...rest] = read;
    const sign = operators.some(({ meaning }) => meaning === 'NOT') ? '-' : first!.sign;
    return [...before, { ...first!, sign, joined: isFirst ? '' : joined }, ...rest];
  }

  /** Operators without an operand. */
  #asWords(operators: readonly WrittenOperator[], scope: Scope): ReadItem[] {
    if (this.#isFull) return [];
    return operators.flatMap(({ text, meaning }) => {
      this.#note(`${text} joins nothing here: it was ${text === meaning ? 'read as a word' : 'left out'}.`);
      return this.#leaf(plainWord(text, ''), scope);
    });
  }

  #counts(words: number): boolean {
    this.#words += words;
    this.#isFull ||= this.#words > MAX_WORDS;
    if (this.#isFull) this.#note(`Only the first ${MAX_WORDS} words were read.`);
    return !this.#isFull;
  }

  #cut(word: string): string {
    if (word.length <= MAX_WORD_LENGTH) return word;
    this.#note(`Of a word only the first ${MAX_WORD_LENGTH} characters were read.`);
    return startOf(word, MAX_WORD_LENGTH);
  }

  #note(sentence: string): void {
    if (this.#notes.size < MAX_NOTES) this.#notes.add(sentence);
  }
}

type Operator = 'AND' | 'OR' | 'NOT';

interface WrittenOperator {
  readonly text: string;
  readonly meaning: Operator;
}

/** The operators as they may be written. */
const OPERATORS: ReadonlyMap<string, Operator> = new Map([
  ['AND', 'AND'],
  ['OR', 'OR'],
  ['NOT', 'NOT'],
  ['&&', 'AND'],
  ['||', 'OR'],
]);

function operatorOf(symbol: QuerySymbol): WrittenOperator | undefined {
  if (symbol.kind !== 'word' || symbol.sign !== '' || symbol.field !== null || symbol.boost !== undefined)
    return undefined;
  const meaning = OPERATORS.get(symbol.text);
  return meaning && { text: symbol.text, meaning };
}

const plainWord = (text: string, sign: Sign): WordSymbol => ({
  kind: 'word',
  text,
  sign,
  field: null,
  boost: undefined,
});

function boosted(node: QueryNode, boost: number | undefined): QueryNode {
  if (boost === undefined || node.kind === 'filter') return node;
  return { ...node, boost: (node.boost ?? 1) * boost };
}

/** Text as quoted in a note. */
function quoted(text: string): string {
  const isLong = text.length > MAX_QUOTED;
  return `"${isLong ? `${startOf(text, MAX_QUOTED)}…` : text}"`;
}
