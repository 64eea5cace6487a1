import { float } from './property.js';

const bounds = { max: 1_000 };

/** Properties of the built-in search: the weight of a word by the field in which it occurs. */
export const searchProperties = {
  'search.boost.title': float(5, 'How much a word in the title counts in a search, against one in the text.', bounds),
  'search.boost.anchor': float(3, 'The same of a word in the texts of links to the page.', bounds),
  'search.boost.url': float(1.5, 'The same of a word in the URL.', bounds),
  'search.boost.host': float(1.5, 'The same of a word in the host.', bounds),
  'search.boost.headings': float(2, 'The same of a word in a heading.', bounds),
  'search.boost.content': float(1, 'The same of a word in the text.', bounds),
};
