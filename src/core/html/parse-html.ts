/**
 * A page read in one pass: title, text, links, and what it says about itself.
 *
 * Tags and text come from the scanner in document order; nothing like a tree is built. The few facts that depend on
 * where something stands (inside an anchor, a form, a script, noscript, SVG) are single variables. Everything kept is
 * bounded, everything done is linear in the length of the document, and no document makes it throw.
 */
import { resolveUrl } from '../url/resolve.js';
import { Headings } from './headings.js';
import { LINE_ELEMENTS, LINK_ATTRIBUTE, SILENT_ELEMENTS, WORD_ELEMENTS } from './elements.js';
import { scanHtml, type Attributes, type ScanHandler } from './html-scanner.js';
import { LinkCollector, type FoundLink, type OpenAnchor } from './link-collector.js';
import { MetaTags, type RobotsMeta } from './meta-tags.js';
import { collect, SqueezedText, squeezed } from './squeezed-text.js';

/** What may differ from crawl to crawl. Lengths in UTF-16 units. */
export interface HtmlOptions {
  /** Take the action of forms that are not sent by POST as links (`parser.html.form.use_action`). */
  readonly formActions: boolean;
  /** Elements whose links are not taken, lower case (`parser.html.outlinks.ignore_tags`). */
  readonly ignoredTags: ReadonlySet<string>;
  /** Note links that the page asks not to follow as well, marked; for people who ask where a link has gone. */
  readonly nofollowLinks?: boolean;
  /** Elements whose text is wanted by itself, lower case (`headings`); none where absent. */
  readonly headings?: ReadonlySet<string>;
  /** Links looked at; those behind are not seen. */
  readonly maxLinks: number;
  readonly maxAnchor: number;
  readonly maxText: number;
  readonly maxTitle: number;
}

export const HTML_OPTIONS: HtmlOptions = {
  formActions: false,
  ignoredTags: new Set(),
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
  /** Meta elements by name in lower case. */
  readonly metatags: ReadonlyMap<string, readonly string[]>;
  /** Texts of the elements that were wanted, by name. None of a page that forbids to be indexed. */
  readonly headings: ReadonlyMap<string, readonly string[]>;
}

const NO_TAGS: ReadonlySet<string> = new Set();
const LONGEST_REFERENCE = 16_384;
const OTHERS_OF_INTEREST: ReadonlySet<string> = new Set(['base', 'html', 'meta']);

class PageReader implements ScanHandler {
  readonly title: SqueezedText;
  readonly body: SqueezedText;
  readonly links: LinkCollector;
  readonly meta = new MetaTags();
  readonly headings: Headings;
  baseReference: string | null = null;
  canonicalReference: string | null = null;
  language: string | null = null;

  private collectors: readonly SqueezedText[];
  private silent: string | null = null;
  private noscriptDepth = 0;
  private svgDepth = 0;
  private titleSeen = false;
  private inTitle = false;
  private anchor: OpenAnchor | null = null;
  private form: OpenAnchor | null = null;
  private formOpen = false;

  constructor(private readonly options: HtmlOptions) {
    this.title = new SqueezedText(options.maxTitle);
    this.body = new SqueezedText(options.maxText);
    this.links = new LinkCollector(options.maxLinks, options.maxAnchor);
    this.headings = new Headings(options.headings ?? NO_TAGS);
    this.collectors = [this.body];
  }

  wants(tag: string): boolean {
    return LINK_ATTRIBUTE.has(tag) || OTHERS_OF_INTEREST.has(tag);
  }

  text(piece: string): void {
    if (this.silent === null) collect(piece, this.collectors);
  }

  open(tag: string, attributes: Attributes): void {
    this.separate(tag);
    if (this.headings.open(tag)) this.collectHere();
    if (LINK_ATTRIBUTE.has(tag)) this.openLink(tag, attributes);
    else if (OTHERS_OF_INTEREST.has(tag)) this.openOther(tag, attributes);
    else if (tag === 'noscript') this.noscriptDepth++;
    else if (tag === 'svg') this.svgDepth++;
    else if (tag === 'title') this.openTitle();
    if (this.silent === null && SILENT_ELEMENTS.has(tag)) this.silent = tag;
  }

  close(tag: string): void {
    if (tag === this.silent) this.silent = null;
    this.separate(tag);
    if (this.headings.close(tag)) this.collectHere();
    if (tag === 'a') this.closeAnchor();
    else if (tag === 'form') this.closeForm();
    else if (tag === 'noscript') this.noscriptDepth = Math.max(0, this.noscriptDepth - 1);
    else if (tag === 'svg') this.svgDepth = Math.max(0, this.svgDepth - 1);
    else if (tag === 'title') this.closeTitle();
  }

  private separate(tag: string): void {
    if (LINE_ELEMENTS.has(tag)) for (const collector of this.collectors) collector.line();
    else if (WORD_ELEMENTS.has(tag)) for (const collector of this.collectors) collector.space();
  }

  /** The first title outside of SVG, whose titles are tool tips. */
  private openTitle(): void {
    if (this.svgDepth > 0 || this.titleSeen) return;
    this.titleSeen = true;
    this.inTitle = true;
    this.collectHere();
  }

  private closeTitle(): void {
    if (!this.inTitle) return;
    this.inTitle = false;
    this.collectHere();
  }

  private openOther(tag: string, attributes: Attributes): void {
    if (tag === 'meta') this.meta.add(attributes, this.noscriptDepth > 0);
    else if (tag === 'html') this.language ??= attributes['lang'] ?? attributes['xml:lang'] ?? null;
    else if (this.noscriptDepth === 0) this.baseReference ??= attributes['href'] ?? null;
  }

  private openLink(tag: string, attributes: Attributes): void {
    if (tag === 'a') this.closeAnchor();
    if (tag === 'form' && this.formOpen) return;
    if (tag === 'form') this.formOpen = true;
    if (tag === 'link' && hasWord(attributes['rel'], 'canonical'))
      this.canonicalReference ??= attributes['href'] ?? null;
    // A picture's description is the anchor of the link around it, whether or not the picture's own URL is taken.
    if (tag === 'img' && this.anchor !== null)
      this.anchor.alt ||= squeezed(attributes['alt'] ?? '', this.options.maxAnchor);

    const reference = attributes[LINK_ATTRIBUTE.get(tag) ?? 'href'];
    if (reference === undefined || reference.length > LONGEST_REFERENCE || !this.takes(tag, attributes)) return;
    const nofollow = hasWord(attributes['rel'], 'nofollow');
    if (nofollow && this.options.nofollowLinks !== true) return;
    if (tag === 'a') this.anchor = this.links.open(reference, nofollow);
    else if (tag === 'form') this.form = this.links.open(reference, nofollow);
    else this.links.add(reference, tag === 'img' ? (attributes['alt'] ?? '') : '', nofollow);
    if (tag === 'a' || tag === 'form') this.collectHere();
  }

  private takes(tag: string, attributes: Attributes): boolean {
    if (this.options.ignoredTags.has(tag)) return false;
    if (tag !== 'form') return true;
    return this.options.formActions && attributes['method']?.trim().toLowerCase() !== 'post';
  }

  /** Anchors do not nest: the next one ends the one before, whatever stands between them. */
  private closeAnchor(): void {
    if (this.anchor === null) return;
    this.anchor = null;
    this.collectHere();
  }

  private closeForm(): void {
    this.formOpen = false;
    if (this.form === null) return;
    this.form = null;
    this.collectHere();
  }

  private collectHere(): void {
    const collectors = [this.body];
    if (this.inTitle) collectors.push(this.title);
    if (this.anchor !== null) collectors.push(this.anchor.anchor);
    if (this.form !== null) collectors.push(this.form.anchor);
    if (this.headings.collector !== null) collectors.push(this.headings.collector);
    this.collectors = collectors;
  }
}

/** Is `word` among the words of an attribute such as `rel`, letter case aside? */
function hasWord(attribute: string | undefined, word: string): boolean {
  if (attribute === undefined || attribute.length > 1000) return false;
  const lower = attribute.toLowerCase();
  return lower.includes(word) && lower.split(/\s+/).includes(word);
}

/** A base element may move references to another place of the web, but not to a scheme without hierarchy. */
function baseOf(reference: string | null, pageUrl: string): string {
  if (reference === null) return pageUrl;
  const resolved = resolveUrl(reference, pageUrl);
  return resolved !== null && /^(?:https?|ftp|file):/.test(resolved) ? resolved : pageUrl;
}

/** `reference` resolved, when it leads to a web page. */
function webUrl(reference: string | null, base: string): string | null {
  const url = reference === null ? null : resolveUrl(reference.trim(), base);
  return url !== null && /^https?:/.test(url) ? url : null;
}

function refreshOf(meta: MetaTags, base: string): ParsedHtml['refresh'] {
  const url = webUrl(meta.refresh?.target ?? null, base);
  return url === null || meta.refresh === null ? null : { url, seconds: meta.refresh.seconds };
}

/** The links of a page; where it asks as a whole not to follow any, none, or all of them marked so. */
function linksOf({ links, meta }: PageReader, base: string, { nofollowLinks }: HtmlOptions): FoundLink[] {
  if (!meta.robots.nofollow) return links.resolve(base);
  return nofollowLinks === true ? links.resolve(base).map((link) => ({ ...link, nofollow: true })) : [];
}

/** Reads the page that stands at `pageUrl` (any text; references are not resolved where it is no URL). Never throws. */
export function parseHtml(html: string, pageUrl: string, options: HtmlOptions = HTML_OPTIONS): ParsedHtml {
  const reader = new PageReader(options);
  scanHtml(html.toWellFormed(), reader);
  const { meta } = reader;
  const base = baseOf(reader.baseReference, pageUrl);
  return {
    title: meta.robots.noindex ? '' : reader.title.toString(),
    text: meta.robots.noindex ? '' : reader.body.toString(),
    links: linksOf(reader, base, options),
    base,
    robots: meta.robots,
    refresh: refreshOf(meta, base),
    canonical: webUrl(reader.canonicalReference, base),
    language: squeezed(reader.language ?? meta.language ?? '', 35) || null,
    metatags: meta.values,
    headings: meta.robots.noindex ? new Map() : reader.headings.values(),
  };
}
