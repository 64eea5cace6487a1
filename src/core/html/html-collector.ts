/**
 * Receives the tags and the text of a page and collects title, text, links and metadata.
 *
 * The position in the document (inside an anchor, a form, a script, noscript, pre, SVG) is kept in a few variables: no tree is
 * built.
 */
import { MAX_REFERENCE_LENGTH } from '../url/resolve.js';
import { SHIPPED_SEPARATORS, type Separators } from './elements.js';
import { LINE_BREAK, LINK, LINK_SOURCES, MEANING, OTHER, SILENT, WORD_BREAK, traitsOf } from './element-traits.js';
import { Headings } from './headings.js';
import type { Attributes, ScanHandler } from './html-scanner.js';
import { LinkCollector, type OpenAnchor } from './link-collector.js';
import { MetaTags } from './meta-tags.js';
import { FactsCollector, type FactName } from './html-metadata.js';
import { PageText, type TextSpan } from './page-text.js';
import type { ResolvedReferences } from './resolved-references.js';
import { collapseSpace } from './collapsed-text.js';

/** Options of a crawl. Lengths in UTF-16 units. */
export interface HtmlOptions {
  /** Collect the actions of forms as links, except those sent by POST (`parser.html.form.use_action`). */
  readonly formActions: boolean;
  /** Elements whose links are ignored, lower case (`parser.html.outlinks.ignore_tags`). */
  readonly ignoredTags: ReadonlySet<string>;
  /** Also collect nofollow links, marked as such, to explain why a link was not followed. */
  readonly nofollowLinks?: boolean;
  /** Elements whose text is collected separately, lower case (`headings`); default none. */
  readonly headings?: ReadonlySet<string>;
  /** Words of `rel` by which a link is not followed, lower case (`parser.html.outlinks.rel.ignore`). */
  readonly ignoredRels: readonly string[];
  readonly linkTags?: boolean;
  /** Facts to collect; default none. */
  readonly facts?: ReadonlySet<FactName>;
  /** Elements that end lines and words of text; default as shipped. */
  readonly separators?: Separators;
  /** Names, besides `robots`, of meta elements that apply to this crawler, lower case. */
  readonly robotNames?: ReadonlySet<string>;
  /** Present time, for directives that expire, ms; default: none has expired. */
  readonly now?: number;
  /** Charset of the page, in which queries of its links are encoded; default UTF-8. */
  readonly charset?: string;
  /** Cache of resolved references of other pages. */
  readonly resolved?: ResolvedReferences;
  /** As in XML every element can be self-closing, CDATA is text, and a DOCTYPE can contain declarations. */
  readonly xhtml?: boolean;
  /** Maximum of links; further ones are ignored. */
  readonly maxLinks: number;
  readonly maxAnchor: number;
  readonly maxText: number;
  readonly maxTitle: number;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_FACTS: ReadonlySet<FactName> = new Set();

export class HtmlCollector implements ScanHandler {
  readonly body: PageText;
  /** Null without a title. */
  title: TextSpan | null = null;
  readonly links: LinkCollector;
  readonly meta: MetaTags;
  readonly facts: FactsCollector;
  readonly headings: Headings;
  baseReference: string | null = null;
  canonicalReference: string | null = null;
  language: string | null = null;

  private readonly traits: ReadonlyMap<string, number>;
  private readonly wantsHeadings: boolean;
  private silent: string | null = null;
  private noscriptDepth = 0;
  private svgDepth = 0;
  /** The content of a template is inert, including its links, as in browsers. */
  private templateDepth = 0;
  private preDepth = 0;
  private inTitle = false;
  private anchor: OpenAnchor | null = null;
  /** Where the text of the open element `a` begins, followed or not. */
  private anchorFrom = Infinity;
  /** Where the text of the last one ended. */
  private anchorTo = -1;
  private form: OpenAnchor | null = null;
  private formOpen = false;

  constructor(private readonly options: HtmlOptions) {
    this.body = new PageText(options.maxText);
    this.links = new LinkCollector(this.body, options.maxLinks, options.maxAnchor);
    this.headings = new Headings(this.body, options.headings ?? NO_NAMES);
    this.meta = new MetaTags(options.robotNames ?? NO_NAMES, options.now ?? 0);
    this.facts = new FactsCollector(options.facts ?? NO_FACTS);
    this.wantsHeadings = (options.headings?.size ?? 0) > 0;
    this.traits = traitsOf(options.separators ?? SHIPPED_SEPARATORS);
  }

  wants(tag: string): boolean {
    return ((this.traits.get(tag) ?? 0) & (LINK | OTHER)) !== 0;
  }

  text(source: string, from: number, to: number): void {
    if (this.silent !== null) {
      if (this.facts.inBlock) this.facts.addToBlock(source.slice(from, to));
    } else if (this.preDepth > 0) this.body.writeLines(source, from, to);
    else this.body.write(source, from, to);
  }

  open(tag: string, attributes: Attributes): void {
    const traits = this.traits.get(tag) ?? 0;
    this.separate(traits);
    if (this.wantsHeadings) this.headings.open(tag);
    if ((traits & MEANING) === 0) return;
    if ((traits & LINK) !== 0) this.openLink(tag, attributes);
    else if ((traits & OTHER) !== 0) this.openOther(tag, attributes);
    else if (tag === 'noscript') this.noscriptDepth++;
    else if (tag === 'pre') this.preDepth++;
    else if (tag === 'svg') this.svgDepth++;
    else if (tag === 'template') this.templateDepth++;
    else if (tag === 'title') this.openTitle();
    if (this.silent === null && (traits & SILENT) !== 0) this.silent = tag;
  }

  close(tag: string): void {
    const traits = this.traits.get(tag) ?? 0;
    if ((traits & SILENT) !== 0) this.closeSilent(tag);
    this.separate(traits);
    if (this.wantsHeadings) this.headings.close(tag);
    if ((traits & MEANING) === 0) return;
    if (tag === 'a' || tag === 'form') this.closeLink(tag);
    else if (tag === 'noscript') this.noscriptDepth = Math.max(0, this.noscriptDepth - 1);
    else if (tag === 'pre') this.preDepth = Math.max(0, this.preDepth - 1);
    else if (tag === 'svg') this.svgDepth = Math.max(0, this.svgDepth - 1);
    else if (tag === 'title') this.closeTitle();
  }

  private closeSilent(tag: string): void {
    if (tag === 'template') this.templateDepth = Math.max(0, this.templateDepth - 1);
    if (tag === this.silent && (tag !== 'template' || this.templateDepth === 0)) this.silent = null;
    if (tag === 'script') this.facts.closeScript();
  }

  /** An end tag inside a template does not close an element outside it. */
  private closeLink(tag: 'a' | 'form'): void {
    if (this.templateDepth > 0) return;
    if (tag === 'a') this.closeAnchor();
    else this.closeForm();
  }

  private separate(traits: number): void {
    // Elements inside a template.
    if (this.silent !== null) return;
    if ((traits & LINE_BREAK) !== 0) this.body.line();
    else if ((traits & WORD_BREAK) !== 0) this.body.space();
  }

  /** The first title outside SVG, whose titles are tooltips. */
  private openTitle(): void {
    if (this.svgDepth > 0 || this.templateDepth > 0 || this.title !== null) return;
    this.inTitle = true;
    this.title = this.body.begin(this.options.maxTitle);
  }

  private closeTitle(): void {
    if (!this.inTitle || this.title === null) return;
    this.inTitle = false;
    this.body.end(this.title);
  }

  private openOther(tag: string, attributes: Attributes): void {
    if (this.templateDepth > 0) return;
    if (tag === 'meta') this.meta.add(attributes, this.noscriptDepth > 0);
    else if (tag === 'html') this.language ??= attributes['lang'] ?? attributes['xml:lang'] ?? null;
    else if (this.noscriptDepth === 0) this.baseReference ??= attributes['href'] ?? null;
  }

  private openLink(tag: string, attributes: Attributes): void {
    if (this.templateDepth > 0) return;
    if (tag === 'a') this.startAnchor(attributes['href'] !== undefined);
    if (tag === 'form' && this.formOpen) return;
    if (tag === 'form') this.formOpen = true;
    if (tag === 'link' || tag === 'img' || tag === 'script') this.noteFacts(tag, attributes);

    const { attribute, followed } = LINK_SOURCES.get(tag)!;
    const reference = attributes[attribute];
    if (reference === undefined || reference.length > MAX_REFERENCE_LENGTH || !this.takes(tag, attributes)) return;
    const nofollow = this.isIgnored(attributes['rel']);
    if (nofollow && this.options.nofollowLinks !== true) return;
    const kind = nofollow ? { tag, nofollow } : followed;
    if (tag === 'a') this.anchor = this.links.open(reference, kind);
    else if (tag === 'form') this.form = this.links.open(reference, kind);
    else this.links.add(reference, tag === 'img' ? (attributes['alt'] ?? '') : '', kind);
  }

  private noteFacts(tag: string, attributes: Attributes): void {
    if (tag === 'script') this.facts.openScript(attributes);
    else if (tag === 'img') {
      this.facts.addImage(attributes);
      // The alternative text of an image is the anchor text of the link around it, even if images are ignored as links.
      if (this.anchor !== null) this.anchor.alt ||= collapseSpace(attributes['alt'] ?? '', this.options.maxAnchor);
    } else {
      if (hasWord(attributes['rel'], 'canonical')) this.canonicalReference ??= attributes['href'] ?? null;
      if (attributes['hreflang'] !== undefined && hasWord(attributes['rel'], 'alternate'))
        this.facts.addAlternate(attributes);
    }
  }

  /** Whether `rel` contains a word that marks a link not to follow (`rel=nofollow`). */
  private isIgnored(rel: string | undefined): boolean {
    if (rel === undefined) return false;
    for (const word of this.options.ignoredRels) if (hasWord(rel, word)) return true;
    return false;
  }

  private takes(tag: string, attributes: Attributes): boolean {
    if (this.options.ignoredTags.has(tag)) return false;
    if (tag !== 'form') return true;
    return this.options.formActions && attributes['method']?.trim().toLowerCase() !== 'post';
  }

  /** Anchors do not nest: the next one ends the open one, whatever is between them. Links side by side are separate words. */
  private startAnchor(isLink: boolean): void {
    this.closeAnchor();
    if (isLink && this.anchorTo === this.body.position) this.body.space();
    this.anchorFrom = this.body.position;
  }

  private closeAnchor(): void {
    if (this.body.position > this.anchorFrom) this.anchorTo = this.body.position;
    this.anchorFrom = Infinity;
    if (this.anchor === null) return;
    this.body.end(this.anchor.anchor);
    this.anchor = null;
  }

  private closeForm(): void {
    this.formOpen = false;
    if (this.form === null) return;
    this.body.end(this.form.anchor);
    this.form = null;
  }
}

/** Whether `word` is one of the words of an attribute such as `rel`, ignoring case. */
function hasWord(attribute: string | undefined, word: string): boolean {
  if (attribute === undefined || attribute.length > 1000) return false;
  const lower = attribute.toLowerCase();
  return lower.includes(word) && lower.split(/\s+/).includes(word);
}
