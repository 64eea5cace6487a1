/**
 * Collects one text of a feed.
 *
 * A text may be plain, escaped markup, markup as elements, or base64 of any of them; its declared and its actual type often
 * differ. Elements in it are serialized again as markup, so that every kind becomes a single string.
 */
import type { FeedText } from './feed-document.js';
import type { XmlAttributes } from '../xml/xml-name.js';

/** The kind of a text by its attributes `type` and `mode`. */
type TextKind = 'plain' | 'html' | 'xhtml' | 'base64';

/** Attributes of elements in a text that are kept: those of links and images. */
const KEPT: readonly string[] = ['href', 'src', 'alt', 'title', 'rel'];

/** The search for the end of a tag stops at another `<`: else it would scan the rest of the text for each one. */
const MARKUP = /<\/?[a-z][^<>]*>|&(?:[a-z]{2,31}|#\d{1,7}|#x[\da-f]{1,6});/i;

export class TextCapture {
  private text = '';
  private kind: TextKind;
  private hasElements = false;
  private depth = 0;
  /** Offsets of the content of a single `div` around the text (RFC 4287 §3.1.1.3); null without one. */
  private insideDiv: { readonly start: number; end: number } | null = null;

  /**
   * @param element the element it belongs to, by its feed name
   * @param isAtom10 an XHTML text is in a div that is not part of it
   */
  constructor(
    readonly element: string,
    attributes: XmlAttributes,
    private readonly isAtom10: boolean,
    private readonly limit: number,
  ) {
    this.kind = textKindOf(attributes);
  }

  /** Whether no element in the text is open. */
  get isOutermost(): boolean {
    return this.depth === 0;
  }

  add(piece: string): void {
    if (this.text.length > this.limit) return;
    this.text += this.kind === 'xhtml' ? escaped(piece) : piece;
  }

  open(local: string, attributes: XmlAttributes): void {
    // A div in a text that is not declared as XHTML is only a wrapper.
    if (this.kind !== 'xhtml' && local === 'div') {
      this.depth++;
      return;
    }
    // Tested for the first element only: there may be much white space before it and many elements after it.
    const isFirst = !this.hasElements && this.text.trim() === '';
    this.kind = 'xhtml';
    this.hasElements = true;
    this.depth++;
    if (this.text.length > this.limit) return;
    this.text += `<${local}${attributesText(attributes)}>`;
    if (local === 'div' && isFirst && this.depth === 1) this.insideDiv = { start: this.text.length, end: -1 };
  }

  close(local: string): void {
    this.depth--;
    if (this.kind !== 'xhtml') return;
    if (this.depth === 0 && this.insideDiv !== null && this.insideDiv.end < 0) this.insideDiv.end = this.text.length;
    if (this.text.length <= this.limit && local !== 'br' && local !== 'img') this.text += `</${local}>`;
  }

  /** The text, without white space around it; null for none. */
  result(): FeedText | null {
    const value = this.value().trim().slice(0, this.limit);
    if (value === '') return null;
    const isMarkup = this.hasElements || this.kind === 'html' || (this.kind !== 'plain' && MARKUP.test(value));
    return { value: value.toWellFormed(), isMarkup: isMarkup || (!this.isAtom10 && MARKUP.test(value)) };
  }

  private value(): string {
    if (this.kind === 'base64') return decodedBase64(this.text);
    const { insideDiv, text } = this;
    if (!this.isAtom10 || insideDiv === null || insideDiv.end < 0) return text;
    return text.slice(insideDiv.end).trim() === '</div>' ? text.slice(insideDiv.start, insideDiv.end) : text;
  }
}

function textKindOf(attributes: XmlAttributes): TextKind {
  const mode = attributes.get('mode')?.trim().toLowerCase();
  const type = attributes.get('type')?.trim().toLowerCase() ?? 'text';
  if (mode === 'base64') return 'base64';
  if (type === 'xhtml' || type === 'application/xhtml+xml') return mode === 'escaped' ? 'html' : 'xhtml';
  if (type === 'html' || type === 'text/html') return mode === 'xml' ? 'xhtml' : 'html';
  if (type === 'text' || type.startsWith('text/') || type.endsWith('+xml') || type.endsWith('/xml')) return 'plain';
  // RFC 4287 §4.1.3.3: content of any other media type is base64.
  return type.includes('/') ? 'base64' : 'plain';
}

function decodedBase64(text: string): string {
  const bytes = Buffer.from(text, 'base64');
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    // Not base64: some feeds declare images and plain text as such.
    return text;
  }
}

function attributesText(attributes: XmlAttributes): string {
  let text = '';
  for (const name of KEPT) {
    const value = attributes.get(name);
    if (value !== undefined) text += ` ${name}="${escaped(value).replaceAll('"', '&quot;')}"`;
  }
  return text;
}

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
