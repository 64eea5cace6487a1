/**
 * Metadata that an HTML page declares, before it is decided which of it is stored. All of it is bounded, and only requested
 * facts are collected.
 */
import type { Attributes } from './html-scanner.js';
import type { ReferenceResolver } from './reference-resolver.js';
import { collapseSpace } from './collapsed-text.js';
import { urlWithoutUserInfo } from '../url/url-credentials.js';

/** Facts that can be requested: JSON-LD blocks, alternates in other languages, images. */
export const FACT_NAMES = ['jsonld', 'hreflang', 'images'] as const;
export type FactName = (typeof FACT_NAMES)[number];

/** The same page in another language (`<link rel=alternate hreflang>`). */
export interface Alternate {
  /** A language tag as written, or `x-default`. */
  readonly hreflang: string;
  readonly url: string;
}

export interface PageImage {
  readonly url: string;
  readonly alt: string;
}

export interface HtmlFacts {
  /** Values of meta elements by name (or property) in lower case, in page order; bounded in number and length. */
  readonly metatags: ReadonlyMap<string, readonly string[]>;
  /** Texts of the elements listed in `headings`, by name. */
  readonly headings: ReadonlyMap<string, readonly string[]>;
  /** JSON-LD blocks as written, if they are valid JSON. */
  readonly jsonLd: readonly string[];
  readonly alternates: readonly Alternate[];
  readonly images: readonly PageImage[];
}

const MAX_BLOCKS = 20;
/** Characters of all JSON-LD blocks together; a block that does not fit is skipped. */
const MAX_JSON = 65_536;
const MAX_ALTERNATES = 200;
const MAX_IMAGES = 100;
const MAX_URL_LENGTH = 2_048;
const MAX_ALT_LENGTH = 200;
const MAX_TAG_LENGTH = 35;

/** Collects the requested facts, with references as written. */
export class FactsCollector {
  private readonly blocks: string[] = [];
  private readonly alternates: { hreflang: string; reference: string }[] = [];
  private readonly images: { reference: string; alt: string }[] = [];
  /** The open JSON-LD block; null outside one. */
  private block: string | null = null;
  private left = MAX_JSON;

  constructor(private readonly facts: ReadonlySet<FactName>) {}

  get inBlock(): boolean {
    return this.block !== null;
  }

  openScript({ type }: Attributes): void {
    const isJsonLd = type !== undefined && /^\s{0,9}application\/ld\+json\s{0,9}(?:;|$)/i.test(type);
    if (isJsonLd && this.facts.has('jsonld') && this.blocks.length < MAX_BLOCKS) this.block = '';
  }

  addToBlock(piece: string): void {
    if (this.block !== null && this.block.length <= this.left) this.block += piece;
  }

  closeScript(): void {
    if (this.block !== null && this.block.length <= this.left && isJson(this.block)) {
      this.left -= this.block.length;
      this.blocks.push(this.block.trim());
    }
    this.block = null;
  }

  addAlternate({ hreflang, href }: Attributes): void {
    if (!this.facts.has('hreflang') || hreflang === undefined || href === undefined) return;
    if (this.alternates.length >= MAX_ALTERNATES) return;
    const tag = collapseSpace(hreflang, MAX_TAG_LENGTH);
    if (tag !== '') this.alternates.push({ hreflang: tag, reference: href });
  }

  addImage({ src, alt }: Attributes): void {
    if (!this.facts.has('images') || src === undefined || this.images.length >= MAX_IMAGES) return;
    this.images.push({ reference: src, alt: collapseSpace(alt ?? '', MAX_ALT_LENGTH) });
  }

  /** The collected facts with resolved references; those that are not web URLs are omitted. */
  resolve(resolver: ReferenceResolver): Pick<HtmlFacts, 'jsonLd' | 'alternates' | 'images'> {
    const url = (reference: string): string | null => {
      const resolved = resolver.resolve(reference.trim());
      if (resolved === null || resolved.length > MAX_URL_LENGTH || !/^https?:/.test(resolved)) return null;
      return urlWithoutUserInfo(resolved);
    };
    return {
      jsonLd: this.blocks,
      alternates: this.alternates.flatMap(({ hreflang, reference }) => {
        const to = url(reference);
        return to === null ? [] : [{ hreflang, url: to }];
      }),
      images: this.images.flatMap(({ reference, alt }) => {
        const at = url(reference);
        return at === null ? [] : [{ url: at, alt }];
      }),
    };
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // Invalid content of a script that is declared as JSON-LD.
    return false;
  }
}
