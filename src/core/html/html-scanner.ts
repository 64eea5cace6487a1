/**
 * HTML as a stream of tags and text, without a tree.
 *
 * A thin layer over htmlparser2's tokenizer, which does what the HTML standard says about comments, raw text and
 * entities. The package's own parser is left out on purpose: it keeps open elements in an array that it shifts, so that
 * 40,000 nested elements cost seconds. A crawler needs no tree, so here nothing is kept but the depth of foreign content
 * (SVG, MathML), and the cost is linear in the length of the document whatever it holds.
 */
import { Tokenizer, type TokenizerCallbacks } from 'htmlparser2';

/** Attributes of one tag: only those named in `KEPT_ATTRIBUTES`, names in lower case, the first of a name wins. */
export type Attributes = Readonly<Record<string, string | undefined>>;

export interface ScanHandler {
  /** Are attributes of this tag of interest? Asked once for each start tag, name in lower case. */
  wants(tag: string): boolean;
  /** A start tag. `attributes` is empty unless wanted. */
  open(tag: string, attributes: Attributes): void;
  /** An end tag as written in the document; may match nothing. */
  close(tag: string): void;
  /** A piece of text, entities decoded; also what stands inside script and style. */
  text(piece: string): void;
}

const KEPT_ATTRIBUTES: ReadonlySet<string> = new Set([
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

const LONGEST_NAME = 64;
const NO_ATTRIBUTES: Attributes = Object.freeze(Object.create(null) as Record<string, string>);

class Scanner implements TokenizerCallbacks {
  private tag = '';
  private wanted = false;
  private attributes: Record<string, string> | null = null;
  private attribute = '';
  private value = '';
  private foreignDepth = 0;

  constructor(
    private readonly html: string,
    private readonly handler: ScanHandler,
    private readonly xhtml: boolean,
  ) {}

  ontext(start: number, end: number): void {
    // Behind an end tag that the document does not finish, the tokenizer tells of text that begins before the document.
    if (start < 0) return;
    this.handler.text(this.html.slice(start, end));
  }

  ontextentity(codePoint: number): void {
    this.handler.text(String.fromCodePoint(codePoint));
  }

  onopentagname(start: number, end: number): void {
    this.tag = this.name(start, end);
    this.wanted = this.handler.wants(this.tag);
    this.attributes = null;
  }

  onattribname(start: number, end: number): void {
    this.value = '';
    this.attribute = '';
    if (!this.wanted) return;
    const name = this.name(start, end);
    if (KEPT_ATTRIBUTES.has(name)) this.attribute = name;
  }

  onattribdata(start: number, end: number): void {
    if (this.attribute !== '') this.value += this.html.slice(start, end);
  }

  onattribentity(codePoint: number): void {
    if (this.attribute !== '') this.value += String.fromCodePoint(codePoint);
  }

  onattribend(): void {
    if (this.attribute === '') return;
    this.attributes ??= Object.create(null) as Record<string, string>;
    this.attributes[this.attribute] ??= this.value;
  }

  onopentagend(): void {
    if (this.tag === 'svg' || this.tag === 'math') this.foreignDepth++;
    this.handler.open(this.tag, this.attributes ?? NO_ATTRIBUTES);
  }

  /** Only elements of XHTML and of foreign content can close themselves; in HTML the slash means nothing. */
  onselfclosingtag(): void {
    this.handler.open(this.tag, this.attributes ?? NO_ATTRIBUTES);
    if (this.xhtml || this.foreignDepth > 0 || this.tag === 'svg' || this.tag === 'math') this.handler.close(this.tag);
  }

  onclosetag(start: number, end: number): void {
    const tag = this.name(start, end);
    if (this.foreignDepth > 0 && (tag === 'svg' || tag === 'math')) this.foreignDepth--;
    this.handler.close(tag);
  }

  isInForeignContext(): boolean {
    return this.foreignDepth > 0;
  }

  oncdata(start: number, end: number, endOffset: number): void {
    if (this.foreignDepth > 0) this.handler.text(this.html.slice(start, end - endOffset));
  }

  oncomment(): void {}

  ondeclaration(): void {}

  onprocessinginstruction(): void {}

  onend(): void {}

  private name(start: number, end: number): string {
    return this.html.slice(start, Math.min(end, start + LONGEST_NAME)).toLowerCase();
  }
}

/**
 * Tells `handler` the tags and the text of `html` in document order. Never throws by itself; time is linear.
 * @param xhtml every element may close itself
 */
export function scanHtml(html: string, handler: ScanHandler, xhtml = false): void {
  const options = { xmlMode: false, decodeEntities: true, recognizeSelfClosing: xhtml };
  const tokenizer = new Tokenizer(options, new Scanner(html, handler, xhtml));
  tokenizer.write(html);
  tokenizer.end();
}
