import { type IndexingFilter, addField } from './indexing-filter.js';

/** The field `headings`: the texts that the plugin headings has stored, in the order of `elements`. */
export function indexHeadings(elements: readonly string[]): IndexingFilter {
  return (document, { metadata }) => {
    const texts = elements.flatMap((element) => metadata[element.toLowerCase()]?.split('\t') ?? []);
    for (const text of texts) addField(document, 'headings', text.trim());
    return document;
  };
}
