/**
 * urlnormalizer-ajax: URLs with a `#!` state (Nutch `AjaxURLNormalizer`, the AJAX crawling scheme of 2009).
 *
 * `#!state` becomes the parameter `_escaped_fragment_=state`, by which servers of that scheme recognize a crawler; in
 * scope `indexer` the parameter becomes `#!state` again, which works in a browser. Only characters with another meaning
 * in a query are escaped: controls and spaces, `#`, `%`, `&`, `+`, and those outside ASCII.
 */
import { splitUrl } from './url-components.js';

const HASH_BANG = '#!';
const PARAMETER = '_escaped_fragment_=';
const TO_ESCAPE = /[\0-\x20#%&+\x7f]|[\u0080-\uffff]+/g;
/** Never unescaped, unlike in the scheme: a URL is a single line. */
const CONTROLS = /\p{Cc}/gu;
/** Nutch escapes it in upper case, all others in lower case. */
const IN_CAPITALS = '+';

/** Turns `#!state` into a parameter of the query; other URLs are unchanged. */
export function escapeFragment(url: string): string {
  const at = url.indexOf(HASH_BANG);
  // The fragment begins at the first #.
  if (at < 0 || url.indexOf('#') !== at || splitUrl(url) === null) return url;
  const head = url.slice(0, at);
  const state = url.slice(at + HASH_BANG.length).toWellFormed();
  return `${head}${head.includes('?') ? '&' : '?'}${PARAMETER}${state.replace(TO_ESCAPE, escapeRun)}`;
}

function escapeRun(run: string): string {
  if (run === IN_CAPITALS) return '%2B';
  const code = run.charCodeAt(0);
  return code < 0x80 ? `%${code.toString(16).padStart(2, '0')}` : encodeURIComponent(run).toLowerCase();
}

/** Turns the parameter back into `#!state`; other URLs, and states that are not UTF-8, are unchanged. */
export function unescapeFragment(url: string): string {
  if (!url.includes(PARAMETER)) return url;
  const components = splitUrl(url);
  if (components === null) return url;
  const parameters = components.query.slice(1).split('&');
  const state = parameters.find((parameter) => parameter.startsWith(PARAMETER));
  if (state === undefined) return url;
  const others = parameters.filter((parameter) => !parameter.startsWith(PARAMETER)).join('&');
  const decoded = decodedFragment(state.slice(PARAMETER.length));
  if (decoded === null) return url;
  const head = url.slice(0, url.indexOf('?'));
  return `${head}${others === '' ? '' : `?${others}`}${HASH_BANG}${decoded}`;
}

function decodedFragment(text: string): string | null {
  try {
    return decodeURIComponent(text).replace(CONTROLS, escapeRun);
  } catch {
    return null;
  }
}
