/** The headings of a page by element name, in page order, bounded in number and length. */
import type { PageText, TextSpan } from './page-text.js';

/** Maximum of headings per element name. */
const MAX_HEADINGS = 100;
const MAX_HEADING_LENGTH = 1_000;

export class Headings {
  private heading: TextSpan | null = null;
  private readonly found = new Map<string, TextSpan[]>();
  private openTag = '';

  /** @param tags element names to collect (`headings`), lower case */
  constructor(
    private readonly text: PageText,
    private readonly tags: ReadonlySet<string>,
  ) {}

  /** Begins a heading; ends an open one. */
  open(tag: string): void {
    if (!this.tags.has(tag)) return;
    this.end();
    const texts = this.found.get(tag) ?? [];
    this.found.set(tag, texts);
    this.openTag = tag;
    if (texts.length < MAX_HEADINGS) texts.push((this.heading = this.text.begin(MAX_HEADING_LENGTH)));
  }

  close(tag: string): void {
    if (tag === this.openTag) this.end();
  }

  private end(): void {
    if (this.heading !== null) this.text.end(this.heading);
    this.heading = null;
  }

  values(): Map<string, string[]> {
    const texts = [...this.found].map(
      ([tag, spans]) =>
        [tag, spans.map((span) => this.text.textOf(span)).filter((text) => text !== '')] as [string, string[]],
    );
    return new Map(texts.filter(([, all]) => all.length > 0));
  }
}
