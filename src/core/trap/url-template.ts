/**
 * The template of a URL: what is left when everything that a program counts or makes up is folded.
 *
 * A site of a million pages is made by a few programs, and each gives its pages URLs of one form: `/item/4711`,
 * `/calendar/2031-05`, `/list?page=7&sort=a`. Numbers, dates, ids and values of parameters are folded to placeholders, words
 * stay. Pages of one template are then made by one program, so that one which makes near duplicates without end can be
 * told from the rest of its site.
 */

/** Longest template, in characters; what is beyond is folded to `…`. */
export const MAX_TEMPLATE_LENGTH = 512;
const MAX_SEGMENTS = 64;
const MAX_PARAMETERS = 64;

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const date =
  /^(?:\d{4}[-_.]\d{1,2}(?:[-_.]\d{1,2})?|\d{1,2}[-_.]\d{1,2}[-_.]\d{4})(?:[T_]?\d{1,2}[:.-]?\d{2}(?:[:.-]?\d{2})?Z?)?$/i;
const longHex = /^[0-9a-f]{8,}$/i;
/** Letters and digits mixed, as in tokens; a word with a number at its end is none. */
const token = /^(?=[A-Za-z_-]*\d)(?=[\d_-]*[A-Za-z])[A-Za-z0-9_-]{16,}$/;
const digitGroups = /\d+/g;

/**
 * The template of an absolute URL: its path, and its parameters sorted by name with their values folded. The host is left
 * out: a template belongs to one. Linear in the length of the URL; at most `MAX_TEMPLATE_LENGTH` characters.
 */
export function urlTemplate(url: string): string {
  const withoutFragment = url.split('#', 1)[0] ?? '';
  const mark = withoutFragment.indexOf('?');
  const head = mark < 0 ? withoutFragment : withoutFragment.slice(0, mark);
  const slash = head.indexOf('/', head.indexOf('://') + 3);
  const path = slash < 0 ? '/' : head.slice(slash);
  const segments = path.split('/', MAX_SEGMENTS + 1).map(foldSegment);
  const query = mark < 0 ? '' : foldQuery(withoutFragment.slice(mark + 1));
  const template = segments.join('/') + query;
  return template.length <= MAX_TEMPLATE_LENGTH ? template : `${template.slice(0, MAX_TEMPLATE_LENGTH - 1)}…`;
}

/** `12` is `{n}`, `2031-05` is `{date}`, `page-12.html` is `page-{n}.html`; path parameters keep their names only. */
function foldSegment(segment: string): string {
  const [name = '', ...parameters] = segment.split(';', MAX_PARAMETERS);
  const dot = name.lastIndexOf('.');
  const extension =
    dot > 0 && name.length - dot <= 6 && /^\.[A-Za-z][A-Za-z0-9]*$/.test(name.slice(dot)) ? name.slice(dot) : '';
  const stem = name.slice(0, name.length - extension.length);
  const folded = parameters.map((parameter) => `;${foldWord(parameter.split('=', 1)[0] ?? '')}={v}`);
  return foldWord(stem) + extension + folded.join('');
}

function foldWord(word: string): string {
  if (word === '' || word.length > 4_096) return word === '' ? '' : '{id}';
  if (/^\d+$/.test(word)) return '{n}';
  if (date.test(word)) return '{date}';
  if (uuid.test(word)) return '{id}';
  if (longHex.test(word) && /\d/.test(word)) return '{id}';
  if (token.test(word) && isMixed(word)) return '{id}';
  return word.replaceAll(digitGroups, '{n}');
}

/** Whether letters and digits take turns without a break between them, as in what a machine made up. */
const isMixed = (word: string): boolean =>
  word.split(/[_-]/).some((part) => part.length >= 10 && (part.match(digitGroups)?.length ?? 0) >= 3);

/** Names sorted, each once: the order and the number of parameters are the program's whim. */
function foldQuery(query: string): string {
  const names = query
    .split('&', MAX_PARAMETERS)
    .map((parameter) => foldWord(parameter.split('=', 1)[0] ?? ''))
    .filter((name) => name !== '');
  const distinct = [...new Set(names)].sort();
  return distinct.length === 0 ? '' : `?${distinct.map((name) => `${name}={v}`).join('&')}`;
}
