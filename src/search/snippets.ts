/** Snippets of the texts of hits. */
import { isRowKey } from '../core/url/row-key.js';
import { type QueryPlan, type ScoredLeaf, scoredLeaves } from '../core/search/score/query-plan.js';
import type { HighlightedWords } from '../core/search/snippet/find-highlights.js';
import { type Snippet, type SnippetSize, bestSnippets } from '../core/search/snippet/snippet.js';
import { titleEnd } from '../core/search/title-line.js';
import type { Sql } from '../db/sql.js';
import { decompressSmall } from '../webpage/compression.js';
import { storedTexts } from './stored-texts.sql.js';

/** Maximum of UTF-16 units of a snippet. */
const MAX_LENGTH = 200;
/** Maximum of decompressed bytes; a longer text has no snippets. */
const MAX_TEXT_BYTES = 8_388_608;

/** What to highlight in texts: the words and phrases of a query; in a text without any of them, the words added by feedback. */
export interface QueryHighlights {
  readonly own: HighlightedWords;
  readonly added: HighlightedWords | null;
}

export function queryHighlights({ root }: QueryPlan): QueryHighlights {
  const leaves = scoredLeaves(root);
  const added = leaves.filter(isAdded);
  const own = leaves.filter((leaf) => !isAdded(leaf));
  return { own: highlightedWords(own), added: added.length === 0 ? null : highlightedWords(added) };
}

const isAdded = (leaf: ScoredLeaf): boolean => leaf.kind === 'term' && leaf.isExpansion;

const highlightedWords = (leaves: readonly ScoredLeaf[]): HighlightedWords => ({
  terms: new Set(leaves.flatMap((leaf) => (leaf.kind === 'term' ? leaf.terms : []))),
  prefixes: leaves.flatMap((leaf) => (leaf.kind === 'prefix' ? leaf.prefixes : [])),
  phrases: leaves.flatMap((leaf) =>
    leaf.kind === 'phrase' ? leaf.alternatives.map((words) => ({ words, slop: leaf.slop })) : [],
  ),
});

/** Of the texts of pages, by key; pages without a stored text are omitted. */
export async function snippetsOf(
  db: Sql,
  crawl: number,
  pages: readonly HitPage[],
  { highlights, maxSnippets }: { highlights: QueryHighlights; maxSnippets: number },
): Promise<Map<string, Snippet[]>> {
  const snippets = new Map<string, Snippet[]>();
  if (maxSnippets === 0) return snippets;
  const pagesById = new Map(pages.map((page) => [page.id, page]));
  const size = { maxLength: MAX_LENGTH, maxSnippets };
  for await (const { id, text } of textsOfPages(db, crawl, [...pagesById.keys()]))
    snippets.set(id, snippetsIn(text, pagesById.get(id)!, highlights, size));
  return snippets;
}

/** What a hit has of its page. */
interface HitPage {
  readonly id: string;
  readonly title: string;
  readonly language: string;
}

/** Of the text below the title, which a hit shows anyway. */
function snippetsIn(
  text: string,
  { title, language }: HitPage,
  { own, added }: QueryHighlights,
  size: SnippetSize,
): Snippet[] {
  const end = titleEnd(text, title);
  const body = end === null ? text : text.slice(end + 1);
  const snippets = bestSnippets(body, language || null, own, size);
  const hasOwn = snippets.some(({ marks }) => marks.length > 0);
  return added === null || hasOwn ? snippets : bestSnippets(body, language || null, added, size);
}

/** Texts of pages by key, decompressed one at a time, as a text may have megabytes. */
export async function* textsOfPages(
  db: Sql,
  crawl: number,
  ids: readonly string[],
): AsyncGenerator<{ id: string; text: string }> {
  const keys = ids.filter(isRowKey);
  if (keys.length === 0) return;
  for (const { key, text } of await storedTexts(db, crawl, keys)) {
    const whole = await decompressedText(text);
    if (whole !== undefined) yield { id: key, text: whole };
  }
}

/** @returns undefined if the text is damaged or too long */
async function decompressedText(compressed: Buffer): Promise<string | undefined> {
  try {
    return (await decompressSmall(compressed, MAX_TEXT_BYTES)).toString();
  } catch {
    return undefined;
  }
}
