/**
 * urlnormalizer-querystring: query parameters in one order (Nutch `QuerystringURLNormalizer`).
 *
 * Parameters are sorted as plain text; equal ones are all kept, empty ones at the end removed. As in Nutch, a URL with
 * a query loses its user info; one without a query is unchanged.
 */
import { splitUrl } from './url-parts.js';

/** `url` with its parameters sorted; a text without scheme or query is unchanged. */
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
