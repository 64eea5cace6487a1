import { type IndexingFilter, addField } from './indexing-filter.js';

/** The field `headings`: the texts of the elements that the plugin headings has kept, in their order. */
export function indexHeadings(elements: readonly string[]): IndexingFilter {
  return (document, { metadata }) => {
    const texts = elements.flatMap((element) => metadata[element.toLowerCase()]?.split('\t') ?? []);
    for (const text of texts) addField(document, 'headings', text.trim());
    return document;
  };
}
