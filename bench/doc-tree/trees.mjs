/**
 * Trees of documentation pages in the style of six tools, some 1,400 pages: a web of documents for crawls, parsers and
 * benchmarks. All content is generated, and the same each time.
 */
import { atticPages } from './attic.mjs';
import { classPages } from './class-pages.mjs';
import { framedPages } from './frames.mjs';
import { manualPages } from './manual.mjs';
import { bookPages, manPages } from './plain-pages.mjs';

/**
 * @typedef {object} DocPage
 * @property {string} path from the root of the site
 * @property {string} html
 * @property {Buffer} bytes the HTML in the charset of the page
 * @property {string} type Content-Type of its answer
 */

const VERSIONS = ['1.4.0', '1.4.1', '1.4.2', '1.5.0', '1.6.0', '1.7.0', '1.8.0', '1.9.0', '1.10.0', '1.11.0'];
/** The trees by the path of their folder. */
export const TREES = [
  '/classes',
  ...VERSIONS.map((version) => `/client/${version}`),
  '/manual',
  '/reference',
  '/man',
  '/book',
  '/attic',
];

const makers = () => [
  ['/classes', classPages({ seed: 1, title: 'Engine', classes: 150, members: [10, 60], menus: true }), 'utf-8'],
  ...VERSIONS.map((version, n) => [
    `/client/${version}`,
    classPages({ seed: 10 + n, title: `client ${version}`, classes: 20 + n, members: [2, 20], menus: false }),
    'utf-8',
  ]),
  ['/manual', manualPages({ seed: 2, parts: 5, chapters: 6, sections: 6 }), 'utf-8'],
  ['/reference', framedPages({ seed: 3, packages: 8, classes: 14 }), 'windows-1252'],
  ['/man', manPages({ seed: 4, pages: 16 }), 'iso-8859-1'],
  ['/book', bookPages({ seed: 5, volumes: 4, anchors: 5_000 }), 'utf-8'],
  ['/attic', atticPages({ seed: 6, pages: 120 }), ''],
];

/** All pages by path. @returns {Map<string, DocPage>} */
export function makeDocTrees() {
  const pages = new Map();
  for (const [folder, tree, charset] of makers()) {
    for (const [name, made] of tree) {
      const page = typeof made === 'string' ? { html: made, charset } : made;
      const path = `${folder}/${name}`;
      pages.set(path, { path, html: page.html, bytes: encoded(page), type: typeOf(page.charset) });
    }
  }
  return pages;
}

/** Pages with a byte order mark or a charset in their head need no charset in their Content-Type. */
const typeOf = (charset) =>
  charset === 'utf-8'
    ? 'text/html; charset=utf-8'
    : charset === 'iso-8859-1'
      ? 'text/html; charset=ISO-8859-1'
      : 'text/html';

function encoded({ html, charset }) {
  if (charset === 'utf-8') return Buffer.from(html);
  if (charset === 'utf-8-bom') return Buffer.from(`\uFEFF${html}`);
  if (charset === 'utf-16le') return Buffer.from(`\uFEFF${html}`, 'utf16le');
  // The pages use only those characters of windows-1252 that are Latin-1.
  return Buffer.from(html, 'latin1');
}
