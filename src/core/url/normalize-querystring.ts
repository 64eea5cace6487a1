/**
 * urlnormalizer-querystring: query parameters in one order (Nutch `QuerystringURLNormalizer`).
 *
 * Parameters are sorted as plain text; equal ones are all kept, empty ones at the end removed. As in Nutch, a URL with
 * a query loses its user info; one without a query is unchanged.
 */
import { splitUrl } from './url-components.js';

/** `url` with its parameters sorted; a text without scheme or query is unchanged. */
export function sortQuery(url: string): string {
  const question = url.indexOf('?');
  const components = question < 0 ? null : splitUrl(url);
  if (components === null || components.query.length < 2) return url;
  const parameters = components.query.slice(1).split('&');
  while (parameters.at(-1) === '') parameters.pop();
  const query = `?${parameters.sort().join('&')}`;
  const authority = components.userInfo === null ? 0 : components.userInfo.length + 1;
  const head = components.scheme.length + (components.host === null ? 1 : '://'.length);
  return (
    url.slice(0, head) + url.slice(head + authority, question) + query + url.slice(question + components.query.length)
  );
}
