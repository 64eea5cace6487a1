/** The headings of a page by the name of their element, in page order, bounded in number and length. */
import { SqueezedText } from './squeezed-text.js';

/** Headings kept of one element name. */
const MOST_HEADINGS = 100;
/** Characters kept of a heading. */
const LONGEST_HEADING = 1_000;

export class Headings {
  /** Who collects the words of the heading that is open; null outside of headings. */
  collector: SqueezedText | null = null;
  private readonly found = new Map<string, SqueezedText[]>();
  private openTag = '';

  /** @param tags element names whose text is wanted (`headings`), lower case */
  constructor(private readonly tags: ReadonlySet<string>) {}

  /** A heading ends the one before it. Answers whether the element is one that is wanted. */
  open(tag: string): boolean {
    if (!this.tags.has(tag)) return false;
    const texts = this.found.get(tag) ?? [];
    this.found.set(tag, texts);
    this.openTag = tag;
    this.collector = texts.length < MOST_HEADINGS ? new SqueezedText(LONGEST_HEADING) : null;
    if (this.collector) texts.push(this.collector);
    return true;
  }

  /** Answers whether a heading ends here. */
  close(tag: string): boolean {
    if (this.collector === null || tag !== this.openTag) return false;
    this.collector = null;
    return true;
  }

  /** The headings that have words. */
  values(): Map<string, string[]> {
    const texts = [...this.found].map(
      ([tag, all]) => [tag, all.map(String).filter((text) => text !== '')] as [string, string[]],
    );
    return new Map(texts.filter(([, all]) => all.length > 0));
  }
}
