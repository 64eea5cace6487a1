/**
 * Hears the tags and the text of a page and collects what belongs together.
 *
 * The few facts that depend on where something stands (inside an anchor, a form, a script, noscript, pre, SVG) are single
 * variables: nothing like a tree is built.
 */
import { LONGEST_REFERENCE } from '../url/resolve.js';
import { LINK_ATTRIBUTE, SHIPPED_SEPARATORS, SILENT_ELEMENTS, type Separators } from './elements.js';
import { Headings } from './headings.js';
import type { Attributes, ScanHandler } from './html-scanner.js';
import { LinkCollector, type OpenAnchor } from './link-collector.js';
import { MetaTags } from './meta-tags.js';
import { FactsCollector, type FactName } from './page-facts.js';
import { SqueezedText, collect, collectLines, squeezed } from './squeezed-text.js';

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
  /** Words of `rel` by which a link is not followed, lower case (`parser.html.outlinks.rel.ignore`). */
  readonly ignoredRels: readonly string[];
  /** Note of each link which element it is from. */
  readonly linkTags?: boolean;
  /** Facts to collect; none where absent. */
  readonly facts?: ReadonlySet<FactName>;
  /** What ends lines and words of text; as shipped where absent. */
  readonly separators?: Separators;
  /** Names, besides `robots`, under which meta elements speak to this crawler, lower case. */
  readonly robotNames?: ReadonlySet<string>;
  /** The time by which directives have expired or not, ms; where absent none has. */
  readonly now?: number;
  /** Charset of the page, in which its links send their queries; UTF-8 where absent. */
  readonly charset?: string;
  /** Every element may close itself, as in XML. */
  readonly xhtml?: boolean;
  /** Links looked at; those behind are not seen. */
  readonly maxLinks: number;
  readonly maxAnchor: number;
  readonly maxText: number;
  readonly maxTitle: number;
}

const NO_NAMES: ReadonlySet<string> = new Set();
const NO_FACTS: ReadonlySet<FactName> = new Set();
const OTHERS_OF_INTEREST: ReadonlySet<string> = new Set(['base', 'html', 'meta']);
/** Elements that mean something here beyond what they separate. */
const MEANINGFUL: ReadonlySet<string> = new Set([
  ...LINK_ATTRIBUTE.keys(),
  ...OTHERS_OF_INTEREST,
  ...SILENT_ELEMENTS,
  'noscript',
  'pre',
  'svg',
  'title',
]);

export class PageReader implements ScanHandler {
  readonly title: SqueezedText;
  readonly body: SqueezedText;
  readonly links: LinkCollector;
  readonly meta: MetaTags;
  readonly facts: FactsCollector;
  readonly headings: Headings;
  baseReference: string | null = null;
  canonicalReference: string | null = null;
  language: string | null = null;

  private readonly separators: Separators;
  /** Who collects here: the page's text first. */
  private readonly collectors: SqueezedText[];
  private silent: string | null = null;
  private noscriptDepth = 0;
  private svgDepth = 0;
  private preDepth = 0;
  private titleSeen = false;
  private inTitle = false;
  private anchor: OpenAnchor | null = null;
  private form: OpenAnchor | null = null;
  private formOpen = false;

  constructor(private readonly options: HtmlOptions) {
    this.title = new SqueezedText(options.maxTitle);
    this.body = new SqueezedText(options.maxText);
    this.links = new LinkCollector(options.maxLinks, options.maxAnchor);
    this.headings = new Headings(options.headings ?? NO_NAMES);
    this.meta = new MetaTags(options.robotNames ?? NO_NAMES, options.now ?? 0);
    this.facts = new FactsCollector(options.facts ?? NO_FACTS);
    this.separators = options.separators ?? SHIPPED_SEPARATORS;
    this.collectors = [this.body];
  }

  wants(tag: string): boolean {
    return LINK_ATTRIBUTE.has(tag) || OTHERS_OF_INTEREST.has(tag);
  }

  text(source: string, from: number, to: number): void {
    if (this.silent !== null) {
      if (this.facts.inBlock) this.facts.addToBlock(source.slice(from, to));
    } else if (this.preDepth > 0) collectLines(source, this.collectors, from, to);
    else collect(source, this.collectors, from, to);
  }

  open(tag: string, attributes: Attributes): void {
    this.separate(tag);
    if (this.headings.open(tag)) this.collectHere();
    if (!MEANINGFUL.has(tag)) return;
    if (LINK_ATTRIBUTE.has(tag)) this.openLink(tag, attributes);
    else if (OTHERS_OF_INTEREST.has(tag)) this.openOther(tag, attributes);
    else if (tag === 'noscript') this.noscriptDepth++;
    else if (tag === 'pre') this.preDepth++;
    else if (tag === 'svg') this.svgDepth++;
    else if (tag === 'title') this.openTitle();
    if (this.silent === null && SILENT_ELEMENTS.has(tag)) this.silent = tag;
  }

  close(tag: string): void {
    if (tag === this.silent) this.silent = null;
    if (tag === 'script') this.facts.closeScript();
    this.separate(tag);
    if (this.headings.close(tag)) this.collectHere();
    if (!MEANINGFUL.has(tag)) return;
    if (tag === 'a') this.closeAnchor();
    else if (tag === 'form') this.closeForm();
    else if (tag === 'noscript') this.noscriptDepth = Math.max(0, this.noscriptDepth - 1);
    else if (tag === 'pre') this.preDepth = Math.max(0, this.preDepth - 1);
    else if (tag === 'svg') this.svgDepth = Math.max(0, this.svgDepth - 1);
    else if (tag === 'title') this.closeTitle();
  }

  private separate(tag: string): void {
    // Elements inside of a template.
    if (this.silent !== null) return;
    const separator = this.separators.get(tag);
    if (separator === 'line') for (const collector of this.collectors) collector.line();
    else if (separator === 'word') for (const collector of this.collectors) collector.space();
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
    if (tag === 'link' || tag === 'img' || tag === 'script') this.noteFacts(tag, attributes);

    const reference = attributes[LINK_ATTRIBUTE.get(tag) ?? 'href'];
    if (reference === undefined || reference.length > LONGEST_REFERENCE || !this.takes(tag, attributes)) return;
    const nofollow = this.isIgnored(attributes['rel']);
    if (nofollow && this.options.nofollowLinks !== true) return;
    const kind = { tag, nofollow };
    if (tag === 'a') this.anchor = this.links.open(reference, kind);
    else if (tag === 'form') this.form = this.links.open(reference, kind);
    else this.links.add(reference, tag === 'img' ? (attributes['alt'] ?? '') : '', kind);
    if (tag === 'a' || tag === 'form') this.collectHere();
  }

  private noteFacts(tag: string, attributes: Attributes): void {
    if (tag === 'script') this.facts.openScript(attributes);
    else if (tag === 'img') {
      this.facts.addImage(attributes);
      // A picture's description is the anchor of the link around it, whether or not the picture's own URL is taken.
      if (this.anchor !== null) this.anchor.alt ||= squeezed(attributes['alt'] ?? '', this.options.maxAnchor);
    } else {
      if (hasWord(attributes['rel'], 'canonical')) this.canonicalReference ??= attributes['href'] ?? null;
      if (attributes['hreflang'] !== undefined && hasWord(attributes['rel'], 'alternate'))
        this.facts.addAlternate(attributes);
    }
  }

  /** Does the link carry one of the words by which it is not followed (`rel=nofollow`)? */
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
    const { collectors } = this;
    collectors.length = 1;
    if (this.inTitle) collectors.push(this.title);
    if (this.anchor !== null) collectors.push(this.anchor.anchor);
    if (this.form !== null) collectors.push(this.form.anchor);
    if (this.headings.collector !== null) collectors.push(this.headings.collector);
  }
}

/** Is `word` among the words of an attribute such as `rel`, letter case aside? */
function hasWord(attribute: string | undefined, word: string): boolean {
  if (attribute === undefined || attribute.length > 1000) return false;
  const lower = attribute.toLowerCase();
  return lower.includes(word) && lower.split(/\s+/).includes(word);
}
