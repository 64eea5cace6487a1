/**
 * subcollection: named sets of URLs (Nutch `SubcollectionIndexingFilter`, subcollections.xml): a URL is in a collection if
 * it contains a text of its whitelist and none of its blacklist.
 */
import { Parser } from 'htmlparser2';
import { RuleError } from '../url/linear-regex.js';
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
  const known = collections.map((one) => ({
    ...one,
    whitelist: one.whitelist.map(folded),
    blacklist: one.blacklist.map(folded),
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
  const found: Subcollection[] = [];
  if (xml.trim() === '') return found;
  const refuse = (reason: string): never => {
    throw new RuleError({ number: found.length + 1, text: 'subcollections.xml' }, null, `XML: ${reason}`);
  };
  const open: string[] = [];
  let texts: Record<string, string> = {};
  const parser = new Parser(
    {
      onopentag(name) {
        open.push(name);
        if (open.length > 3) refuse(`${open.at(-2)} takes no elements`);
        if (open.length === 1 && name !== 'subcollections') refuse('an element <subcollections> is expected');
        if (open.length === 2 && name !== 'subcollection') refuse(`unknown element ${name.slice(0, 40)}`);
        if (name === 'subcollection') texts = {};
      },
      ontext: (text) => {
        if (open.length === 3) texts[open[2]!] = (texts[open[2]!] ?? '') + text;
      },
      onclosetag(name) {
        open.pop();
        if (name !== 'subcollection') return;
        if (found.length >= MAX_COLLECTIONS) refuse(`more than ${MAX_COLLECTIONS} collections`);
        found.push(collectionOf(texts) ?? refuse('a collection needs a name'));
      },
      onprocessinginstruction: (name) => void (name.startsWith('!') && refuse('no document type is allowed')),
    },
    { xmlMode: true, decodeEntities: true },
  );
  // Not `end`, which closes what is open: a truncated file would count as a whole one.
  parser.write(xml);
  if (open.length > 0 || !xml.includes('<subcollections')) refuse('a whole element <subcollections> is expected');
  return found;
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
