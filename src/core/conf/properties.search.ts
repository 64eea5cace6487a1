import { float } from './property.js';

const bounds = { max: 1_000 };

/** Properties of the built-in search: the parameters of BM25, and the weight of a word by the field in which it occurs. */
export const searchProperties = {
  'search.bm25.b': float(
    0.75,
    'How much less a word counts in a field that is longer than the average (b of BM25). 0: the length does not count. Unless similarity is bm25, the texts of links count as with 0.',
    { max: 1 },
  ),
  'search.bm25.k1': float(
    1.2,
    'How much more a word counts that occurs several times (k1 of BM25). 0: only whether it occurs.',
    bounds,
  ),
  'search.boost.title': float(5, 'Weight of a word in the title of a page, when a search computes scores.', bounds),
  'search.boost.anchor': float(3, 'Weight of a word in the texts of links to the page.', bounds),
  'search.boost.url': float(1.5, 'Weight of a word in the URL.', bounds),
  'search.boost.host': float(1.5, 'Weight of a word in the host name.', bounds),
  'search.boost.headings': float(2, 'Weight of a word in a heading.', bounds),
  'search.boost.content': float(1, 'Weight of a word in the text.', bounds),
};
