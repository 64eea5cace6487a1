/** Problems with pages under /v1. */
import { problem, shown } from '../problem.js';

export const pageWithoutContent = problem(
  404,
  'PAGE_WITHOUT_CONTENT',
  'Page has no content',
  (url: string, status: string) =>
    `The page ${shown(url)} is known (${status}), but no content of it is stored: it was not fetched yet, its response had none, or fetcher.store.content is false.`,
);
export const pageWithoutText = problem(
  404,
  'PAGE_WITHOUT_TEXT',
  'Page has no text',
  (url: string, status: string) =>
    `The page ${shown(url)} is known (${status}), but no text of it is stored: it was not parsed yet, its parsing failed, it is noindex, or it has no text; its main content is stored with parse.readable or parse.markdown only.`,
);
export const pageDamaged = problem(
  500,
  'PAGE_DAMAGED',
  'Page is damaged',
  (url: string, column: string) =>
    `The stored ${column} of the page ${shown(url)} is damaged: it cannot be decompressed. The next visit that receives content replaces it.`,
);
