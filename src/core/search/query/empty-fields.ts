/** Notes for fields that a query names and that no document of the index has: which setting fills them. */
import type { ParsedQuery, QueryNode } from '../query.js';
import type { SearchField } from '../search-fields.js';

const FILLED_BY: Partial<Record<SearchField, string>> = {
  anchor:
    'links to pages fill it, but db.ignore.internal.links and linkdb.ignore.internal.links leave out those inside of a host',
  headings: 'the plugin headings fills it (plugin.includes.also), at the next PARSE and INDEX',
};

export function emptyFieldNotes({ root }: ParsedQuery, isEmpty: (field: SearchField) => boolean): string[] {
  return [...new Set(fieldsOf(root))].flatMap((field) => {
    const cause = FILLED_BY[field];
    return cause !== undefined && isEmpty(field) ? [`No document has words in the field ${field}: ${cause}.`] : [];
  });
}

function fieldsOf(node: QueryNode): SearchField[] {
  if (node.kind === 'boolean') return node.clauses.flatMap((clause) => fieldsOf(clause.node));
  return node.kind === 'filter' || node.field === null ? [] : [node.field];
}
