/**
 * Parses a page in one pass: title, text, links, and metadata.
 *
 * The scanner passes tags and text in document order to the reader; references are resolved at the end, since a `base` element
 * may follow them. Memory is bounded, time is linear in the length of the document, and no document makes it throw.
 */
import { MAX_REFERENCE_LENGTH, resolveUrl } from '../url/resolve.js';
import { scanHtml } from './html-scanner.js';
import type { FoundLink } from './link-collector.js';
import type { MetaTags } from './meta-tags.js';
import type { HtmlFacts } from './html-metadata.js';
import { HtmlCollector, type HtmlOptions } from './html-collector.js';
import { ReferenceResolver } from './reference-resolver.js';
import type { RobotsMeta } from './robots-directives.js';
import { collapseSpace } from './collapsed-text.js';
import { prologEnd } from '../xml/xml-name.js';

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
  /** Empty for a page with noindex. */
  readonly title: string;
  /** Empty for a page with noindex. Line breaks where blocks begin and end; the title is its first line. */
  readonly text: string;
  /** In page order, with duplicates, without those of `rel=nofollow`. None for a page with nofollow. */
  readonly links: readonly FoundLink[];
  /** Base of references: the page's URL as given, or its base element. */
  readonly base: string;
  readonly robots: Readonly<RobotsMeta>;
  /** Meta refresh to another URL. */
  readonly refresh: { readonly url: string; readonly seconds: number } | null;
  readonly canonical: string | null;
  readonly language: string | null;
  /** Further metadata. No headings of a page with noindex. */
  readonly facts: HtmlFacts;
}

/**
 * The base of references. A base element can name another web location, but not a scheme without hierarchy, nor a URL that
 * became longer than a reference may be when it was escaped.
 */
function baseOf(reference: string | null, pageUrl: string): string {
  if (reference === null) return pageUrl;
  const resolved = resolveUrl(reference, pageUrl);
  if (resolved === null || resolved.length > MAX_REFERENCE_LENGTH) return pageUrl;
  return /^(?:https?|ftp|file):/.test(resolved) ? resolved : pageUrl;
}

/** The resolved reference if it is a URL of http or https. */
function resolvedHttp(reference: string | null, resolver: ReferenceResolver): string | null {
  const url = reference === null ? null : resolver.resolve(reference.trim());
  return url !== null && /^https?:/.test(url) ? url : null;
}

function refreshOf(meta: MetaTags, resolver: ReferenceResolver): ParsedHtml['refresh'] {
  const url = resolvedHttp(meta.refresh?.target ?? null, resolver);
  return url === null || meta.refresh === null ? null : { url, seconds: meta.refresh.seconds };
}

/** The links of a page; of a page with nofollow none, or all of them marked so. */
function pageLinks({ links, meta }: HtmlCollector, resolver: ReferenceResolver, options: HtmlOptions): FoundLink[] {
  const { nofollow } = meta.robots;
  if (nofollow && options.nofollowLinks !== true) return [];
  return links.resolve(resolver, { nofollow, tags: options.linkTags === true });
}

/** Parses the page of `pageUrl` (any text; if it is not a URL, relative references are not resolved). Never throws. */
export function parseHtml(html: string, pageUrl: string, options: HtmlOptions = HTML_OPTIONS): ParsedHtml {
  const reader = new HtmlCollector(options);
  const page = html.toWellFormed();
  scanHtml(options.xhtml === true ? page.slice(prologEnd(page)) : page, reader, options.xhtml);
  reader.body.finish();
  const { meta, title, body } = reader;
  const base = baseOf(reader.baseReference, pageUrl);
  const resolver = new ReferenceResolver(base, options.charset, options.resolved);
  return {
    title: meta.robots.noindex || title === null ? '' : body.textOf(title),
    text: meta.robots.noindex ? '' : body.toString(),
    links: pageLinks(reader, resolver, options),
    base,
    robots: meta.robots,
    refresh: refreshOf(meta, resolver),
    canonical: resolvedHttp(reader.canonicalReference, resolver),
    language: collapseSpace(reader.language ?? meta.language ?? '', 35) || null,
    facts: {
      metatags: meta.values,
      headings: meta.robots.noindex ? new Map() : reader.headings.values(),
      ...reader.facts.resolve(resolver),
    },
  };
}
