/**
 * XML of an unknown vocabulary, as a page: the text of its elements, the first title as title, and as links what stands
 * in `href` attributes and what reads as a URL.
 */
import { decodeXml } from '../html/charset.js';
import type { FoundLink } from '../html/link-collector.js';
import { linksInText } from '../html/parse-text.js';
import { ReferenceResolver } from '../html/reference-resolver.js';
import { SqueezedText, collect } from '../html/squeezed-text.js';
import { charsetMetadata, maxLinks } from '../page/html-page.js';
import { emptyPage } from '../page/parse-page.js';
import { PARSE_MINOR, parseFailure, parseSuccess } from '../page/parse-status.js';
import type { ParserInput, ReadPage } from '../page/parser.js';
import { type XmlAttributes, type XmlName, rootOf } from '../xml/xml-name.js';
import { type XmlListener, scanXml } from '../xml/xml-scanner.js';

/** Types that are read so; `+xml` stands for every type that ends so and that no other parser names. */
export const XML_TYPES: readonly string[] = ['application/xml', 'text/xml', '+xml'];

/** Elements without text for readers, in any vocabulary: SVG has the two of HTML. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style']);

/** Characters of a run of text between two tags that are looked through together. */
const MAX_RUN_LENGTH = 1_048_576;

/** Reads XML. Fails for what has no element. Never throws. */
export function readXmlPage({ content, page, props }: ParserInput): ReadPage {
  const { text: xml, charset } = decodeXml(content, page.contentType);
  if (rootOf(xml) === '')
    return { ...emptyPage(page), status: parseFailure(PARSE_MINOR.invalid_format, 'no XML: no element is found') };
  const limits = { title: props['parser.title.limit'], text: props['parser.text.limit'], links: maxLinks(props) };
  const reader = new XmlReader(new ReferenceResolver(page.url), limits);
  scanXml(xml.toWellFormed(), reader);
  reader.endRun();
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    title: reader.title.toString(),
    text: reader.body.toString(),
    outlinks: reader.links,
    charset,
    metadata: charsetMetadata(charset, props),
  };
}

class XmlReader implements XmlListener {
  readonly title: SqueezedText;
  readonly body: SqueezedText;
  readonly links: FoundLink[] = [];
  private inTitle = false;
  private titleSeen = false;
  private silent = 0;
  /** The text since the last tag: entities and sections cut it into pieces, and URLs with it. */
  private run = '';

  constructor(
    private readonly resolver: ReferenceResolver,
    private readonly limits: { title: number; text: number; links: number },
  ) {
    this.title = new SqueezedText(limits.title);
    this.body = new SqueezedText(limits.text);
  }

  open({ local }: XmlName, attributes: XmlAttributes): void {
    this.endRun();
    this.body.line();
    if (SILENT.has(local)) this.silent++;
    if (local === 'title' && !this.titleSeen) this.inTitle = this.titleSeen = true;
    const href = attributes.get('href') ?? attributes.get('xlink:href');
    const url = href === undefined || href.startsWith('#') ? null : this.resolver.resolve(href.trim());
    if (url !== null && this.links.length < this.limits.links) this.links.push({ url, anchor: '' });
  }

  close({ local }: XmlName): void {
    this.endRun();
    this.body.line();
    if (SILENT.has(local)) this.silent--;
    if (local === 'title') this.inTitle = false;
  }

  text(piece: string): void {
    if (this.silent > 0) return;
    collect(piece, this.inTitle ? [this.body, this.title] : [this.body]);
    this.run += piece;
    if (this.run.length >= MAX_RUN_LENGTH) this.endRun();
  }

  /** Takes the URLs of the run that ends here, or with the document. */
  endRun(): void {
    if (this.run.includes('://')) this.links.push(...linksInText(this.run, this.limits.links - this.links.length));
    this.run = '';
  }
}
