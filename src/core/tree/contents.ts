/**
 * Counts the text of an element by kind: computed once, bottom up, and cached until its content changes. Without the cache
 * the same text would be read again for each of many nested elements.
 *
 * White space at both ends of a text does not count, and a run of it in between counts as one character.
 */
import type { TreeElement, TreeParent } from './element.js';
import { ELEMENT, TEXT, type TextNode } from './node.js';

/** Kinds of elements, by name, as bits. */
const KIND = {
  link: 1,
  heading: 2,
  list: 4,
  paragraph: 8,
  image: 16,
  item: 32,
  input: 64,
  embedded: 128,
  table: 256,
  /** HTML elements only: those that usually contain text. */
  textual: 512,
};
const KINDS = new Map<string, number>();
const isKind = (kind: number, names: string): void => {
  for (const name of names.split(' ')) KINDS.set(name, (KINDS.get(name) ?? 0) | kind);
};
isKind(KIND.link, 'a');
isKind(KIND.heading, 'h1 h2 h3 h4 h5 h6');
isKind(KIND.list, 'ul ol');
isKind(KIND.paragraph, 'p');
isKind(KIND.image, 'img');
isKind(KIND.item, 'li');
isKind(KIND.input, 'input');
isKind(KIND.embedded, 'object embed iframe');
isKind(KIND.table, 'table');
isKind(KIND.textual, 'span li td blockquote dl div img ol p pre table ul');

/** Weight of links within the page. */
const IN_PAGE = 0.3;

/** Counts by kind of element. */
class Kinds {
  /** Total length of text in elements of these kinds; text in two nested ones counts twice. */
  linkText = 0;
  inPageLinkText = 0;
  headingText = 0;
  listText = 0;
  textualText = 0;
  /** Number of elements of these kinds. */
  paragraphs = 0;
  images = 0;
  items = 0;
  inputs = 0;
  embedded = 0;
  tables = 0;

  add(inner: Kinds): void {
    this.linkText += inner.linkText;
    this.inPageLinkText += inner.inPageLinkText;
    this.headingText += inner.headingText;
    this.listText += inner.listText;
    this.textualText += inner.textualText;
    this.paragraphs += inner.paragraphs;
    this.images += inner.images;
    this.items += inner.items;
    this.inputs += inner.inputs;
    this.embedded += inner.embedded;
    this.tables += inner.tables;
  }
}

const NO_KINDS: Readonly<Kinds> = new Kinds();

export class Contents {
  /** Number of non-white-space characters, and of words. */
  private characters = 0;
  private words = 0;
  /** Commas of all scripts, and `,` alone. */
  commas = 0;
  latinCommas = 0;
  /** Null for an element that contains none of these kinds, as most do. */
  private counted: Kinds | null = null;
  /** Whether the text begins or ends with a character of a word. */
  private beginsInWord = false;
  private endsInWord = false;
  private isEmpty = true;

  get kinds(): Readonly<Kinds> {
    return this.counted ?? NO_KINDS;
  }

  /** The length of the text. */
  get length(): number {
    return this.words === 0 ? 0 : this.characters + this.words - 1;
  }

  /** The fraction of the text that is in links. */
  get linkDensity(): number {
    const { length } = this;
    return length === 0 ? 0 : (this.kinds.linkText + this.kinds.inPageLinkText * IN_PAGE) / length;
  }

  addText(text: string): void {
    if (text === '') return;
    let isInWord = this.endsInWord;
    const startsInWord = !isWhite(text.charCodeAt(0));
    for (let at = 0; at < text.length; at++) {
      const code = text.charCodeAt(at);
      if (isWhite(code)) {
        isInWord = false;
        continue;
      }
      this.characters++;
      if (!isInWord) this.words++;
      isInWord = true;
      if (code === 0x2c) this.latinCommas++;
      if (code === 0x2c || (code > 0x7f && COMMAS.has(code))) this.commas++;
    }
    this.joined(startsInWord, isInWord);
  }

  addElement(element: TreeElement, inner: Contents): void {
    if (!inner.isEmpty) {
      this.characters += inner.characters;
      this.words += inner.words - (this.endsInWord && inner.beginsInWord ? 1 : 0);
      this.commas += inner.commas;
      this.latinCommas += inner.latinCommas;
      this.joined(inner.beginsInWord, inner.endsInWord);
    }
    if (inner.counted !== null) (this.counted ??= new Kinds()).add(inner.counted);
    const kind = KINDS.get(element.localName);
    if (kind !== undefined) this.addKind(kind, element, inner.length);
  }

  private addKind(kind: number, element: TreeElement, length: number): void {
    const counted = (this.counted ??= new Kinds());
    if (kind & KIND.link) {
      if (/^#./.test(element.getAttribute('href') ?? '')) counted.inPageLinkText += length;
      else counted.linkText += length;
    }
    if (kind & KIND.heading) counted.headingText += length;
    if (kind & KIND.list) counted.listText += length;
    if (kind & KIND.textual && element.isHtml) counted.textualText += length;
    if (kind & KIND.paragraph) counted.paragraphs++;
    if (kind & KIND.image) counted.images++;
    if (kind & KIND.item) counted.items++;
    if (kind & KIND.input) counted.inputs++;
    if (kind & KIND.embedded) counted.embedded++;
    if (kind & KIND.table) counted.tables++;
  }

  private joined(beginsInWord: boolean, endsInWord: boolean): void {
    if (this.isEmpty) this.beginsInWord = beginsInWord;
    this.isEmpty = false;
    this.endsInWord = endsInWord;
  }
}

/** The counts of a node, computed if it has changed since. Changes of attribute values are not noticed. */
export function contentsOf(node: TreeParent): Contents {
  if (node.contents !== null) return node.contents;
  const contents = new Contents();
  let read = 0;
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    read += child.nodeType === TEXT ? (child as TextNode).data.length : 1;
    if (child.nodeType === TEXT) contents.addText((child as TextNode).data);
    else if (child.nodeType === ELEMENT) contents.addElement(child as TreeElement, contentsOf(child as TreeElement));
  }
  node.ownerDocument?.budget?.spend(read);
  return (node.contents = contents);
}

/** Commas of Latin, Arabic, Sindhi, Chinese and other scripts. */
const COMMAS = new Set([0x2c, 0x60c, 0xfe50, 0xfe10, 0xfe11, 0x2e41, 0x2e34, 0x2e32, 0xff0c]);

/** White space as in `\s` and `trim`. */
function isWhite(code: number): boolean {
  if (code <= 0x20) return code === 0x20 || (code >= 9 && code <= 13);
  if (code < 0xa0) return false;
  return code === 0xa0 || (code >= 0x1680 && /\s/.test(String.fromCharCode(code)));
}
