/**
 * The links of a page in document order, each with the text a reader clicks on.
 *
 * References are kept as written until the page has been read, since a `base` element may follow them; then each distinct
 * one is resolved once. Navigation repeats itself, and resolving is the dearest part of reading a page.
 */
import type { ReferenceResolver } from './reference-resolver.js';
import type { PageText, TextPart } from './page-text.js';
import { squeezed } from './squeezed-text.js';

/** A link of a page: absolute URL of any scheme with its fragment, and its anchor text. */
export interface FoundLink {
  readonly url: string;
  readonly anchor: string;
  /** The page asks not to follow it (`rel=nofollow`, meta robots). Only where such links are wanted at all. */
  readonly nofollow?: true;
  /** The element it is from, lower case. Only where that is wanted. */
  readonly tag?: string;
}

/**
 * Characters of all distinct URLs of a page together, each as long as the base at least: a long base makes a long URL of
 * each short reference, and is read again for each, even for one that leads nowhere.
 */
const MAX_CHARACTERS = 16_777_216;

const NOFOLLOW = { nofollow: true } as const;

/** Schemes that lead nowhere a crawler goes; skipped before anything is resolved. */
const SKIPPED_SCHEME = /^[\s\0]*(?:javascript|mailto|data|tel|sms|about|blob|vbscript):/i;

interface OpenLink {
  readonly reference: string;
  readonly anchor: TextPart | null;
  /** Text that stands in for the anchor of a picture. */
  alt: string;
  readonly kind: LinkKind;
}

/** The element a link is from, and whether it is not to be followed. */
export interface LinkKind {
  readonly tag: string;
  readonly nofollow: boolean;
}

export class LinkCollector {
  private readonly links: OpenLink[] = [];

  constructor(
    private readonly text: PageText,
    private readonly maxLinks: number,
    private readonly maxAnchor: number,
  ) {}

  /** Notes a link without content of its own. `alt` describes a picture. */
  add(reference: string, alt: string, kind: LinkKind): void {
    this.push({ reference, anchor: null, alt: squeezed(alt, this.maxAnchor), kind });
  }

  /** Notes a link whose anchor is the text from now on, until it is ended; null when enough links were seen. */
  open(reference: string, kind: LinkKind): OpenAnchor | null {
    const link = { reference, anchor: this.text.begin(this.maxAnchor), alt: '', kind };
    return this.push(link) ? link : null;
  }

  private push(link: OpenLink): boolean {
    if (this.links.length >= this.maxLinks) return false;
    if (!SKIPPED_SCHEME.test(link.reference)) this.links.push(link);
    return true;
  }

  /**
   * The links resolved, in order; what cannot be resolved, or is too much, is left out. `nofollow`: all are marked so;
   * `tags`: each names its element.
   */
  resolve(resolver: ReferenceResolver, all: { nofollow: boolean; tags: boolean }): FoundLink[] {
    const seen = new Map<string, string | null>();
    const found: FoundLink[] = [];
    let left = MAX_CHARACTERS;
    for (const { reference, anchor, alt, kind } of this.links) {
      let url = seen.get(reference);
      if (url === undefined) {
        url = left < 0 ? null : resolver.resolve(reference);
        left -= Math.max(url?.length ?? 0, resolver.base.length);
        if (left < 0) url = null;
        seen.set(reference, url);
      }
      if (url === null) continue;
      const link = { url, anchor: (anchor === null ? '' : this.text.of(anchor)) || alt };
      if (!kind.nofollow && !all.nofollow && !all.tags) found.push(link);
      else
        found.push({ ...link, ...((kind.nofollow || all.nofollow) && NOFOLLOW), ...(all.tags && { tag: kind.tag }) });
    }
    return found;
  }
}

/** An anchor that has not ended yet. A picture's description stands in when it stays empty. */
export interface OpenAnchor {
  readonly anchor: TextPart;
  alt: string;
}
