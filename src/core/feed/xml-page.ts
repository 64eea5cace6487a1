/**
 * The parser of XML of an unknown vocabulary: the text of its elements, the first title as title, and as links the `href`
 * attributes and URLs in the text.
 */
import { decodeXml } from '../html/charset.js';
import type { FoundLink } from '../html/link-collector.js';
import { linksInText } from '../html/parse-text.js';
import { ReferenceResolver } from '../html/reference-resolver.js';
import { CollapsedText, collect } from '../html/collapsed-text.js';
import { charsetMetadata, maxLinks } from '../page/html-page.js';
import { emptyPage } from '../page/parse-page.js';
import { PARSE_MINOR, parseFailure, parseSuccess } from '../page/parse-status.js';
import type { ParserInput, ReadPage } from '../page/parser.js';
import { type XmlAttributes, type XmlName, rootOf } from '../xml/xml-name.js';
import { type XmlListener, scanXml } from '../xml/xml-scanner.js';

/** Types of this parser; `+xml` stands for every type with this suffix that no other parser names. */
export const XML_TYPES: readonly string[] = ['application/xml', 'text/xml', '+xml'];

/** Elements whose text is ignored, in any vocabulary: SVG has the same two as HTML. */
const SILENT: ReadonlySet<string> = new Set(['script', 'style']);

/** Maximum length of a run of text that is searched for URLs as a whole. */
const MAX_RUN_LENGTH = 1_048_576;

/** Parses XML. Fails for a document without elements. Never throws. */
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
  readonly title: CollapsedText;
  readonly body: CollapsedText;
  readonly links: FoundLink[] = [];
  private inTitle = false;
  private titleSeen = false;
  private silent = 0;
  /** The text since the last tag: the scanner splits text, and so URLs, at entities and CDATA sections. */
  private run = '';

  constructor(
    private readonly resolver: ReferenceResolver,
    private readonly limits: { title: number; text: number; links: number },
  ) {
    this.title = new CollapsedText(limits.title);
    this.body = new CollapsedText(limits.text);
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

  /** Collects the URLs of the run, at a tag or at the end of the document. */
  endRun(): void {
    const links = this.run.includes('://') ? linksInText(this.run, this.limits.links - this.links.length) : [];
    // One by one: a run may have more URLs than a call may have arguments.
    for (const link of links) this.links.push(link);
    this.run = '';
  }
}
