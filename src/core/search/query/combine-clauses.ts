/**
 * Combines the items between two brackets as clauses of one boolean query.
 *
 * Adjacent words are alternatives. `+` and `-` apply to the whole query. AND makes both sides required; if there is an OR,
 * too, the items joined by AND are one alternative (AND binds tighter). Filters are required, except those joined by OR.
 */
import type { QueryClause, QueryNode } from '../query.js';

export interface ReadItem {
  readonly node: QueryNode;
  /** The sign before it; NOT is read as `-`. */
  readonly sign: '+' | '-' | '';
  /** The word between it and the item before it. */
  readonly joined: 'AND' | 'OR' | '';
}

export function combineClauses(items: readonly ReadItem[]): QueryClause[] {
  const hasOr = items.some(({ joined }) => joined === 'OR');
  const chains = splitAt(sameFilters(items), 'AND');
  if (!hasOr) return narrowed(chains.flatMap((chain) => chain.map(chain.length > 1 ? required : byItself)));
  const joined = chains.map((chain) => (chain.length > 1 ? asOneItem(chain) : chain[0]!));
  return narrowed(splitAt(joined, 'OR').flatMap(alternatives));
}

/** Chains of items that one operator joins. */
function splitAt(items: readonly ReadItem[], operator: 'AND' | 'OR'): ReadItem[][] {
  const chains: ReadItem[][] = [];
  for (const item of items) {
    if (item.joined === operator && chains.length > 0) chains.at(-1)!.push(item);
    else chains.push([item]);
  }
  return chains;
}

const required = ({ node, sign }: ReadItem): QueryClause => ({ occur: sign === '-' ? 'must_not' : 'must', node });

const asOneItem = (chain: readonly ReadItem[]): ReadItem => ({
  ...bracketed(chain.map(required), ''),
  joined: chain[0]!.joined,
});

function byItself({ node, sign }: ReadItem): QueryClause {
  if (sign === '') return { occur: isFilterOnly(node) ? 'must' : 'should', node };
  return { occur: sign === '-' ? 'must_not' : 'must', node };
}

/**
 * Items joined by OR: if all are filters, they are required as a group, else each is an alternative; signs apply as
 * elsewhere.
 */
function alternatives(chain: readonly ReadItem[]): QueryClause[] {
  const free = chain.filter(({ sign }) => sign === '');
  if (free.length < 2) return chain.map(byItself);
  const clauses = free.map(({ node }): QueryClause => ({ occur: 'should', node }));
  const signed = chain.filter(({ sign }) => sign !== '').map(byItself);
  if (!free.every(({ node }) => isFilterOnly(node))) return [...clauses, ...signed];
  return [{ occur: 'must', node: { kind: 'boolean', clauses } }, ...signed];
}

/** Adjacent hosts, languages or types are alternatives, as a page has one of each. Days are ranges, and all are required. */
function sameFilters(items: readonly ReadItem[]): ReadItem[] {
  const names = Map.groupBy(items.filter(isFree), filterNameOf);
  return items.flatMap((item, at) => {
    const same = isFree(item, at, items) ? names.get(filterNameOf(item)) : undefined;
    if (same === undefined || same.length === 1) return [item];
    if (same[0] !== item) return [];
    const clauses = same.map(({ node }): QueryClause => ({ occur: 'should', node }));
    return [{ ...item, node: { kind: 'boolean', clauses } }];
  });
}

const filterNameOf = ({ node }: ReadItem): string => (node.kind === 'filter' ? node.name : '');

/** Whether an item is a filter without a sign and without operators. */
const isFree = (item: ReadItem, at: number, items: readonly ReadItem[]): boolean =>
  item.sign === '' &&
  item.joined === '' &&
  (items[at + 1]?.joined ?? '') === '' &&
  !['', 'date'].includes(filterNameOf(item));

/**
 * In Lucene alternatives become optional if another clause is required. A required filter does not have this effect here: at
 * least one of the words beside it is required.
 */
function narrowed(clauses: readonly QueryClause[]): QueryClause[] {
  const musts = clauses.filter(({ occur }) => occur === 'must');
  const shoulds = clauses.filter(({ occur }) => occur === 'should');
  if (musts.length === 0 || shoulds.length === 0 || !musts.every(({ node }) => isFilterOnly(node))) return [...clauses];
  const words: QueryNode = shoulds.length === 1 ? shoulds[0]!.node : { kind: 'boolean', clauses: shoulds };
  return [{ occur: 'must', node: words }, ...clauses.filter(({ occur }) => occur !== 'should')];
}

const isFilterOnly = (node: QueryNode): boolean =>
  node.kind === 'filter' || (node.kind === 'boolean' && node.clauses.every((clause) => isFilterOnly(clause.node)));

/** The query in brackets as one item: a single clause is that clause; only exclusions exclude any of them, twice require one. */
export function bracketed(clauses: readonly QueryClause[], sign: ReadItem['sign']): Pick<ReadItem, 'node' | 'sign'> {
  const isExcluding = clauses.every(({ occur }) => occur === 'must_not');
  const inner = isExcluding ? clauses.map(({ node }): QueryClause => ({ occur: 'should', node })) : clauses;
  const node: QueryNode = inner.length === 1 ? inner[0]!.node : { kind: 'boolean', clauses: inner };
  if (!isExcluding) return { node, sign };
  return { node, sign: sign === '-' ? '+' : '-' };
}
