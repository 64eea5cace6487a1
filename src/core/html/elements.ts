/**
 * What the elements of HTML mean to a crawler: which of them carry a link, and which of them end a line or a word.
 */

/** Elements with a link and the attribute that holds it (Nutch `DOMContentUtils`). */
export const LINK_ATTRIBUTE: ReadonlyMap<string, 'href' | 'src' | 'action'> = new Map([
  ['a', 'href'],
  ['area', 'href'],
  ['form', 'action'],
  ['frame', 'src'],
  ['iframe', 'src'],
  ['img', 'src'],
  ['link', 'href'],
  ['script', 'src'],
  ['source', 'src'],
]);

/** Elements that start and end a line of text (Nutch `parser.html.line.separators` and the parts of lists and tables). */
export const LINE_ELEMENTS: ReadonlySet<string> = new Set(
  (
    'address article aside blockquote body br canvas caption center dd details dialog dir div dl dt fieldset figcaption ' +
    'figure footer form frameset h1 h2 h3 h4 h5 h6 head header hgroup hr html legend li main menu nav noscript ol ' +
    'optgroup output p pre search section summary table tbody tfoot thead title tr ul video'
  ).split(' '),
);

/** Elements that stand between words without ending the line. */
export const WORD_ELEMENTS: ReadonlySet<string> = new Set(
  'audio button iframe img input object option select svg td textarea th'.split(' '),
);

/** Elements whose content is no text for readers: programs, style, and markup kept for browsers without frames. */
export const SILENT_ELEMENTS: ReadonlySet<string> = new Set('iframe noembed noframes script style'.split(' '));
