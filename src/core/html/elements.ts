/**
 * Elements of HTML that matter to a crawler: those with a link, and those that end a line or a word.
 */

/** Elements with a link and its attribute (Nutch `DOMContentUtils`). */
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

/** Elements that start and end a line of text, as shipped (Nutch `parser.html.line.separators`). */
export const LINE_SEPARATORS: readonly string[] = (
  'article aside blockquote canvas dd div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr li ' +
  'main nav noscript ol output p pre section table tfoot ul video'
).split(' ');

/** Elements that always do: parts of a document, a table or a list, and line breaks. */
const LINES_OF_HTML: readonly string[] = (
  'address body br caption center details dialog dir frameset head hgroup html legend menu optgroup search summary ' +
  'tbody thead title tr'
).split(' ');

/** Elements that separate words without ending the line. */
const WORD_ELEMENTS: readonly string[] = 'audio button iframe img input object option select svg td textarea th'.split(
  ' ',
);

/** The separator between the text before and after an element; absent: none. */
export type Separators = ReadonlyMap<string, 'line' | 'word'>;

/** `separators`: elements that end a line (`parser.html.line.separators`); shipped ones that are not listed still end a word. */
export function separatorsOf(separators: readonly string[]): Separators {
  return new Map([
    ...[...WORD_ELEMENTS, ...LINE_SEPARATORS].map((tag) => [tag, 'word'] as const),
    ...[...LINES_OF_HTML, ...separators].map((tag) => [tag.toLowerCase(), 'line'] as const),
  ]);
}

export const SHIPPED_SEPARATORS: Separators = separatorsOf(LINE_SEPARATORS);

/** Elements whose content is not text of the page: scripts, styles, templates, and markup for browsers without frames. */
export const SILENT_ELEMENTS: ReadonlySet<string> = new Set('iframe noembed noframes script style template'.split(' '));
