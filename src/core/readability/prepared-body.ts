/** The content of a prepared body, for attempts after the first, which changes it. */
import type { TreeDocument } from '../tree/document.js';
import type { TreeElement, TreeFragment } from '../tree/element.js';
import { following, TEXT, type TextNode } from '../tree/node.js';
import { prepare } from './prepare.js';

/** Most bodies with less text need several attempts, most of the others one. In characters. */
const MIN_LENGTH = 1_000;

export class PreparedBody {
  /** Null until it is needed. */
  private html: string | null;
  private parsed: TreeFragment | null = null;

  /** @param again parses the page again, for a body of which no copy was made in advance */
  constructor(
    private readonly body: TreeElement,
    private readonly again: () => TreeDocument,
  ) {
    this.html = isShort(body) ? body.innerHTML : null;
  }

  /** Restores the content as its HTML is parsed, which Readability does, too: it can differ from the tree of the page. */
  restore(): void {
    const { body } = this;
    this.html ??= preparedHtml(this.again());
    this.parsed ??= body.ownerDocument!.markup.parseFragment(body, this.html);
    body.textContent = '';
    body.appendChild(this.parsed.cloneNode(true));
  }
}

function preparedHtml(document: TreeDocument): string {
  prepare(document);
  return document.body!.innerHTML;
}

function isShort(body: TreeElement): boolean {
  let length = 0;
  let node = following(body, body);
  for (; node !== null && length < MIN_LENGTH; node = following(node, body))
    if (node.nodeType === TEXT) length += (node as TextNode).data.trim().length;
  return node === null;
}
