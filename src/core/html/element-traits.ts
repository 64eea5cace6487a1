/**
 * Properties of an element for the parser, as bits of one number: a page has a thousand tags, and each needs one lookup instead
 * of one per property.
 */
import { LINK_ATTRIBUTE, SILENT_ELEMENTS, type Separators } from './elements.js';
import type { LinkKind } from './link-collector.js';

/** Ends a line of text. */
export const LINE_BREAK = 1;
/** Separates words. */
export const WORD_BREAK = 2;
/** Can have a link. */
export const LINK = 4;
/** Has other attributes that are read. */
export const OTHER = 8;
/** Its content is not text of the page. */
export const SILENT = 16;
/** Has a meaning besides separation. */
export const MEANING = 32;

const OTHERS_OF_INTEREST = ['base', 'html', 'meta'];
const BY_NAME_ALONE = ['noscript', 'pre', 'svg', 'title'];

/** Elements with a link: its attribute, and the kind of a followed link. */
export const LINK_SOURCES: ReadonlyMap<string, { attribute: 'href' | 'src' | 'action'; followed: LinkKind }> = new Map(
  [...LINK_ATTRIBUTE].map(([tag, attribute]) => [tag, { attribute, followed: { tag, nofollow: false } }]),
);

const traitsOfSeparators = new WeakMap<Separators, ReadonlyMap<string, number>>();

/** The traits of elements by name; absent: none. */
export function traitsOf(separators: Separators): ReadonlyMap<string, number> {
  let traits = traitsOfSeparators.get(separators);
  if (traits === undefined) traitsOfSeparators.set(separators, (traits = makeTraits(separators)));
  return traits;
}

function makeTraits(separators: Separators): ReadonlyMap<string, number> {
  const traits = new Map<string, number>();
  const add = (tags: Iterable<string>, trait: number) => {
    for (const tag of tags) traits.set(tag, (traits.get(tag) ?? 0) | trait);
  };
  for (const [tag, separator] of separators) add([tag], separator === 'line' ? LINE_BREAK : WORD_BREAK);
  add(LINK_ATTRIBUTE.keys(), LINK | MEANING);
  add(OTHERS_OF_INTEREST, OTHER | MEANING);
  add(SILENT_ELEMENTS, SILENT | MEANING);
  add(BY_NAME_ALONE, MEANING);
  return traits;
}
