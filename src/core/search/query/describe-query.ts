import type { ParsedQuery, QueryClause, QueryNode } from '../query.js';

const SIGNS: Readonly<Record<QueryClause['occur'], string>> = { must: '+', should: '', must_not: '-' };

/** A parsed query in Lucene's syntax: `+title:ferry "night boat"~2 -lang:de`. Parsed again, it is the same query. */
export function describeQuery({ root }: Pick<ParsedQuery, 'root'>): string {
  return clausesOf(root.clauses);
}

function clausesOf(clauses: readonly QueryClause[]): string {
  const shoulds = clauses.filter(({ occur }) => occur === 'should');
  // A filter of only one of several alternatives: without brackets it would apply to all.
  const isOr = shoulds.length > 1 && shoulds.some(({ node }) => isFilter(node));
  const joined = shoulds.map(({ node }) => nodeOf(node)).join(isOr ? ' OR ' : ' ');
  const signed = clauses.filter(({ occur }) => occur !== 'should');
  return [joined, ...signed.map(({ occur, node }) => SIGNS[occur] + nodeOf(node))]
    .filter((text) => text !== '')
    .join(' ');
}

const isFilter = (node: QueryNode): boolean =>
  node.kind === 'filter' || (node.kind === 'boolean' && node.clauses.every((clause) => isFilter(clause.node)));

function nodeOf(node: QueryNode): string {
  if (node.kind === 'filter') return `${node.name}:${node.value}`;
  const boost = node.boost === undefined ? '' : `^${node.boost}`;
  if (node.kind === 'boolean') return `(${clausesOf(node.clauses)})${boost}`;
  const field = node.field === null ? '' : `${node.field}:`;
  if (node.kind === 'word') return field + node.text + boost;
  if (node.kind === 'prefix') return `${field}${node.text}*${boost}`;
  return `${field}"${node.text}"${node.slop === undefined ? '' : `~${node.slop}`}${boost}`;
}
