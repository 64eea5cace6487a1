/** Bounds boosts: those of nested brackets multiply, and a score with all of them could exceed the largest number. */
import type { ParsedQuery, QueryClause, QueryNode } from '../query.js';

/** Maximum of the product of a boost and those of all brackets around it: two of the largest that can be written. */
export const MAX_BOOST = 1_000_000;

type Root = ParsedQuery['root'];

/** The same query with boosts whose products are at most MAX_BOOST; the same object if they are. */
export function boundBoosts(root: Root): Root {
  return exceeds(root, 1) ? { ...root, clauses: bounded(root.clauses, 1) } : root;
}

const boostOf = (node: QueryNode): number => (node.kind === 'filter' ? 1 : (node.boost ?? 1));

function exceeds(node: QueryNode, outer: number): boolean {
  const product = outer * boostOf(node);
  if (product > MAX_BOOST) return true;
  return node.kind === 'boolean' && node.clauses.some((clause) => exceeds(clause.node, product));
}

const bounded = (clauses: readonly QueryClause[], outer: number): QueryClause[] =>
  clauses.map((clause) => ({ ...clause, node: boundedNode(clause.node, outer) }));

function boundedNode(node: QueryNode, outer: number): QueryNode {
  const product = Math.min(outer * boostOf(node), MAX_BOOST);
  const own = node.kind === 'filter' || node.boost === undefined ? {} : { boost: outer === 0 ? 0 : product / outer };
  return node.kind === 'boolean' ? { ...node, ...own, clauses: bounded(node.clauses, product) } : { ...node, ...own };
}
