/** Limits a query to the pages of one batch: `+(query) +segment:name`. A query without words to search for stays as it is. */
import type { ParsedQuery, QueryClause } from '../query.js';
import { bracketed } from './combine-clauses.js';

/** @param segment the id of the batch, or the name of its segment */
export function withinSegment({ root, notes }: ParsedQuery, segment: string): ParsedQuery {
  if (root.clauses.every(({ occur }) => occur === 'must_not')) return { root, notes };
  const { node } = bracketed(root.clauses, '');
  const filter: QueryClause = { occur: 'must', node: { kind: 'filter', name: 'segment', value: segment } };
  return { root: { kind: 'boolean', clauses: [{ occur: 'must', node }, filter] }, notes };
}
