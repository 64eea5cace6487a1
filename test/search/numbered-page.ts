import type { IndexDocument } from '../../src/core/indexing/index-document.js';

/** A page to index, with its number in id, title and text. */
export const numberedPage = (n: number): IndexDocument => ({
  id: `p${n}`,
  url: `http://site.test/p${n}`,
  boost: 1,
  fields: new Map([
    ['title', [`page ${n}`]],
    ['content', [`ferry number ${n}`]],
    ['lang', ['en']],
  ]),
  fieldBoosts: new Map(),
});
