/**
 * The links of a page in document order, each with its anchor text.
 *
 * References are kept as written until the end of the page, since a `base` element may follow them; then each distinct one is
 * resolved once. Navigation links repeat, and resolving is the most expensive part of parsing a page.
 */
import type { ReferenceResolver } from './reference-resolver.js';
import type { PageText, TextSpan } from './page-text.js';
import { collapseSpace } from './collapsed-text.js';

/** A link of a page: absolute URL of any scheme with its fragment, and its anchor text. */
export interface FoundLink {
  readonly url: string;
  readonly anchor: string;
  /** The page asks not to follow it (`rel=nofollow`, meta robots). Only if such links are collected. */
  readonly nofollow?: true;
  /** Its element, lower case. Only on request. */
  readonly tag?: string;
}

/**
 * Maximum of characters of all distinct URLs of a page. Each counts at least the length of the base: a long base makes every
 * short reference a long URL, and is parsed again for each, even if it does not resolve.
 */
const MAX_CHARACTERS = 16_777_216;

const NOFOLLOW = { nofollow: true } as const;

/** Schemes that a crawler never follows; such links are skipped before they are resolved. */
const SKIPPED_SCHEME = /^[\s\0]*(?:javascript|mailto|data|tel|sms|about|blob|vbscript):/i;

interface OpenLink {
  readonly reference: string;
  readonly anchor: TextSpan | null;
  /** Alternative text of an image, used if the anchor text is empty. */
  alt: string;
  readonly kind: LinkKind;
}

/** The element of a link, and whether the link is not to be followed. */
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

  /** Adds a link of an element without content. `alt`: alternative text of an image. */
  add(reference: string, alt: string, kind: LinkKind): void {
    this.push({ reference, anchor: null, alt: collapseSpace(alt, this.maxAnchor), kind });
  }

  /** Adds a link whose anchor text begins here, until its end is set; null if the maximum of links is reached. */
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
   * The resolved links, in order, without those that cannot be resolved or exceed the limit. `nofollow`: all are marked so;
   * `tags`: each includes its element.
   */
  resolve(resolver: ReferenceResolver, all: { nofollow: boolean; tags: boolean }): FoundLink[] {
    const seen = new Map<string, string | null>();
    const resolved: FoundLink[] = [];
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
      const link = { url, anchor: (anchor === null ? '' : this.text.lineOf(anchor)) || alt };
      if (!kind.nofollow && !all.nofollow && !all.tags) resolved.push(link);
      else
        resolved.push({
          ...link,
          ...((kind.nofollow || all.nofollow) && NOFOLLOW),
          ...(all.tags && { tag: kind.tag }),
        });
    }
    return resolved;
  }
}

/** An open anchor. The alternative text of an image is used if its text stays empty. */
export interface OpenAnchor {
  readonly anchor: TextSpan;
  alt: string;
}
