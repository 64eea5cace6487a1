/** Notes for fields in which a query finds nothing: no document has them, or their words have no weight. */
import type { ParsedQuery, QueryNode } from '../query.js';
import type { FieldWeights } from '../score/bm25f.js';
import { type SearchField, searchFields } from '../search-fields.js';

const FILLED_BY: Partial<Record<SearchField, string>> = {
  anchor:
    'links to pages fill it, but db.ignore.internal.links and linkdb.ignore.internal.links leave out those inside of a host',
  headings: 'the plugin headings fills it (plugin.includes.also), at the next PARSE and INDEX',
};

/** For fields that no document of the index has: which setting fills them. */
export function emptyFieldNotes({ root }: ParsedQuery, isEmpty: (field: SearchField) => boolean): string[] {
  return [...new Set(fieldsOf(root))].flatMap((field) => {
    const cause = FILLED_BY[field];
    return cause !== undefined && isEmpty(field) ? [`No document has words in the field ${field}: ${cause}.`] : [];
  });
}

/** For fields without weight that a query names, and for a query whose words have none in any field. */
export function unweightedFieldNotes({ root }: ParsedQuery, weights: FieldWeights): string[] {
  if (weights.every((weight) => weight === 0))
    return ['Words find nothing: all weights of fields (search.boost.*) are 0.'];
  return [...new Set(fieldsOf(root))].flatMap((field) =>
    weights[searchFields.indexOf(field)] === 0
      ? [`Words in the field ${field} find nothing: search.boost.${field} is 0.`]
      : [],
  );
}

function fieldsOf(node: QueryNode): SearchField[] {
  if (node.kind === 'boolean') return node.clauses.flatMap((clause) => fieldsOf(clause.node));
  return node.kind === 'filter' || node.field === null ? [] : [node.field];
}
