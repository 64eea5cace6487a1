/**
 * subcollection: named sets of URLs (Nutch `SubcollectionIndexingFilter`, subcollections.xml): a URL is in a collection if
 * it contains a text of its whitelist and none of its blacklist.
 */
import { ConfXml } from '../xml/conf-xml.js';
import { type IndexingFilter, addField } from './indexing-filter.js';

export interface Subcollection {
  readonly name: string;
  /** The field; empty: the default one. */
  readonly key: string;
  readonly whitelist: readonly string[];
  readonly blacklist: readonly string[];
}

export interface SubcollectionOptions {
  readonly field: string;
  readonly ignoreCase: boolean;
}

const MAX_COLLECTIONS = 1_000;

export function indexSubcollections(
  collections: readonly Subcollection[],
  { field, ignoreCase }: SubcollectionOptions,
): IndexingFilter {
  const folded = (text: string): string => (ignoreCase ? text.toLowerCase() : text);
  const known = collections.map((collection) => ({
    ...collection,
    whitelist: collection.whitelist.map(folded),
    blacklist: collection.blacklist.map(folded),
  }));
  return (document, page) => {
    const url = folded(page.url);
    for (const { name, key, whitelist, blacklist } of known) {
      if (blacklist.some((text) => url.includes(text)) || !whitelist.some((text) => url.includes(text))) continue;
      addField(document, key || field, name);
    }
    return document;
  };
}

/** @throws RuleError with the number of the collection */
export function readSubcollections(xml: string): Subcollection[] {
  const collections: Subcollection[] = [];
  if (xml.trim() === '') return collections;
  let texts: Record<string, string> = {};
  let number = 0;
  const file = new ConfXml(
    'subcollections.xml',
    {
      subcollections: {},
      subcollection: {
        within: ['subcollections'],
        begin() {
          texts = {};
          number++;
        },
        end() {
          if (collections.length >= MAX_COLLECTIONS) file.refuse(`more than ${MAX_COLLECTIONS} collections`);
          collections.push(collectionOf(texts) ?? file.refuse('a collection needs a name'));
        },
      },
      '*': { within: ['subcollection'], end: (text, name) => void (texts[name] = (texts[name] ?? '') + text) },
    },
    () => number,
  );
  file.read(xml);
  return collections;
}

function collectionOf({
  name = '',
  id = '',
  key = '',
  whitelist = '',
  blacklist = '',
}: Record<string, string>): Subcollection | null {
  const shown = name.trim() || id.trim();
  return shown === ''
    ? null
    : { name: shown, key: key.trim(), whitelist: lines(whitelist), blacklist: lines(blacklist) };
}

const lines = (text: string): string[] =>
  text
    .split(/\s*\n\s*/)
    .map((line) => line.trim())
    .filter((line) => line !== '');
