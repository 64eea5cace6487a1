/**
 * A page read in one pass: title, text, links, and what it says about itself.
 *
 * Tags and text come from the scanner in document order and go to the reader; what is left for the end is to resolve
 * references, since a `base` element may stand behind them. Everything kept is bounded, everything done is linear in the
 * length of the document, and no document makes it throw.
 */
import { MAX_REFERENCE_LENGTH, resolveUrl } from '../url/resolve.js';
import { scanHtml } from './html-scanner.js';
import type { FoundLink } from './link-collector.js';
import type { MetaTags } from './meta-tags.js';
import type { PageFacts } from './html-metadata.js';
import { PageReader, type HtmlOptions } from './html-collector.js';
import { ReferenceResolver } from './reference-resolver.js';
import type { RobotsMeta } from './robots-directives.js';
import { squeezed } from './squeezed-text.js';

export const HTML_OPTIONS: HtmlOptions = {
  formActions: false,
  ignoredTags: new Set(),
  ignoredRels: ['nofollow'],
  maxLinks: 100_000,
  maxAnchor: 100,
  maxText: 1_048_576,
  maxTitle: 1000,
};

export interface ParsedHtml {
  /** Empty for a page that forbids to be indexed. */
  readonly title: string;
  /** Empty for a page that forbids to be indexed. Lines where blocks begin and end; the title is its first line. */
  readonly text: string;
  /** In page order, duplicates kept; without those of `rel=nofollow`. None for a page that forbids to follow. */
  readonly links: readonly FoundLink[];
  /** What references resolve against: the page's URL as given, or its base element. */
  readonly base: string;
  readonly robots: Readonly<RobotsMeta>;
  /** Meta refresh to another URL. */
  readonly refresh: { readonly url: string; readonly seconds: number } | null;
  readonly canonical: string | null;
  readonly language: string | null;
  /** What it says about itself besides. No headings of a page that forbids to be indexed. */
  readonly facts: PageFacts;
}

/**
 * A base element may move references to another place of the web, but not to a scheme without hierarchy, nor to a URL
 * longer than any reference, which escapes make of a shorter one.
 */
function baseOf(reference: string | null, pageUrl: string): string {
  if (reference === null) return pageUrl;
  const resolved = resolveUrl(reference, pageUrl);
  if (resolved === null || resolved.length > MAX_REFERENCE_LENGTH) return pageUrl;
  return /^(?:https?|ftp|file):/.test(resolved) ? resolved : pageUrl;
}

/** `reference` resolved, when it leads to a web page. */
function webUrl(reference: string | null, resolver: ReferenceResolver): string | null {
  const url = reference === null ? null : resolver.resolve(reference.trim());
  return url !== null && /^https?:/.test(url) ? url : null;
}

function refreshOf(meta: MetaTags, resolver: ReferenceResolver): ParsedHtml['refresh'] {
  const url = webUrl(meta.refresh?.target ?? null, resolver);
  return url === null || meta.refresh === null ? null : { url, seconds: meta.refresh.seconds };
}

/** The links of a page; where it asks as a whole not to follow any, none, or all of them marked so. */
function linksOf({ links, meta }: PageReader, resolver: ReferenceResolver, options: HtmlOptions): FoundLink[] {
  const { nofollow } = meta.robots;
  if (nofollow && options.nofollowLinks !== true) return [];
  return links.resolve(resolver, { nofollow, tags: options.linkTags === true });
}

/** Reads the page that stands at `pageUrl` (any text; references are not resolved where it is no URL). Never throws. */
export function parseHtml(html: string, pageUrl: string, options: HtmlOptions = HTML_OPTIONS): ParsedHtml {
  const reader = new PageReader(options);
  scanHtml(html.toWellFormed(), reader, options.xhtml);
  reader.body.finish();
  const { meta, title, body } = reader;
  const base = baseOf(reader.baseReference, pageUrl);
  const resolver = new ReferenceResolver(base, options.charset, options.resolved);
  return {
    title: meta.robots.noindex || title === null ? '' : body.of(title),
    text: meta.robots.noindex ? '' : body.toString(),
    links: linksOf(reader, resolver, options),
    base,
    robots: meta.robots,
    refresh: refreshOf(meta, resolver),
    canonical: webUrl(reader.canonicalReference, resolver),
    language: squeezed(reader.language ?? meta.language ?? '', 35) || null,
    facts: {
      metatags: meta.values,
      headings: meta.robots.noindex ? new Map() : reader.headings.values(),
      ...reader.facts.resolve(resolver),
    },
  };
}
