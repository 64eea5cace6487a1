/**
 * Finds names in a document without copying them.
 *
 * A page has hundreds of tags and a few dozen different names. A copy of each in lower case would be a new string every time,
 * which every lookup has to hash. Here a name is compared in place, ignoring case, with the few known names of the same length,
 * first and last character, and the result is always the same string.
 */
/** The bit that distinguishes a lower case letter of ASCII from its upper case; digits, `-` and `:` have it. */
const LOWER_CASE = 0x20;
/** The hyphen: known names have no character below it. `| LOWER_CASE` would change control characters to digits. */
const MIN_CODE = 0x2d;

/** A set of known names: lower case ASCII letters, digits, `-` and `:`. */
export class Names {
  private readonly byShape: (string[] | undefined)[] = Array.from({ length: 1 << 15 });

  constructor(names: Iterable<string>) {
    for (const name of new Set(names)) {
      const shape = shapeOf(name, 0, name.length);
      // The engine interns property names, and compares them by address.
      (this.byShape[shape] ??= []).push(...Object.keys({ [name]: true }));
    }
  }

  /** The known name in `text` from `from` to `to`, in any letter case; null for another. */
  find(text: string, from: number, to: number): string | null {
    const candidates = this.byShape[shapeOf(text, from, to)];
    if (candidates === undefined) return null;
    for (const name of candidates) if (name.length === to - from && isAt(name, text, from)) return name;
    return null;
  }
}

/** Length, first and last character, five bits of each. */
function shapeOf(text: string, from: number, to: number): number {
  return (((to - from) & 31) << 10) | ((text.charCodeAt(from) & 31) << 5) | (text.charCodeAt(to - 1) & 31);
}

/** Whether a known name begins at `from` of a text, in any letter case. */
function isAt(name: string, text: string, from: number): boolean {
  for (let at = 0; at < name.length; at++) {
    const code = text.charCodeAt(from + at);
    if (code < MIN_CODE || (code | LOWER_CASE) !== name.charCodeAt(at)) return false;
  }
  return true;
}

/** The elements of HTML, and those of SVG and MathML that matter here. */
export const commonTags = new Names(
  (
    'a abbr acronym address applet area article aside audio b base basefont bdi bdo big blockquote body br button canvas ' +
    'caption center cite code col colgroup data datalist dd del details dfn dialog dir div dl dt em embed fieldset ' +
    'figcaption figure font footer form frame frameset g h1 h2 h3 h4 h5 h6 head header hgroup hr html i iframe img input ' +
    'ins kbd label legend li line link main map mark math menu meta meter nav nobr noembed noframes noscript object ol ' +
    'optgroup option output p param path picture plaintext polygon pre progress q rect rp rt ruby s samp script search ' +
    'section select slot small source span strike strong style sub summary sup svg table tbody td template text textarea ' +
    'tfoot th thead time title tr track tt u ul use var video wbr xmp'
  ).split(' '),
);

/** The attributes that are read; all others are skipped. */
export const keptAttributes = new Names([
  'action',
  'alt',
  'charset',
  'content',
  'href',
  'http-equiv',
  'hreflang',
  'lang',
  'method',
  'name',
  'property',
  'rel',
  'src',
  'type',
  'xml:lang',
]);
