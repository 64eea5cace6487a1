/**
 * urlnormalizer-querystring: query parameters in one order (Nutch `QuerystringURLNormalizer`).
 *
 * Parameters are sorted as plain text; equal ones all stay, empty ones at the end go. As in the original, a URL that
 * has a query loses its user info; one without a query stays as written.
 */
import { splitUrl } from './url-parts.js';

/** `url` with its parameters sorted; a text that is no URL, and one without a query, as it is. */
export function sortQuery(url: string): string {
  const mark = url.indexOf('?');
  const parts = mark < 0 ? null : splitUrl(url);
  if (parts === null || parts.query.length < 2) return url;
  const parameters = parts.query.slice(1).split('&');
  while (parameters.at(-1) === '') parameters.pop();
  const query = `?${parameters.sort().join('&')}`;
  const authority = parts.userInfo === null ? 0 : parts.userInfo.length + 1;
  const head = parts.scheme.length + (parts.host === null ? 1 : '://'.length);
  return url.slice(0, head) + url.slice(head + authority, mark) + query + url.slice(mark + parts.query.length);
}
