/**
 * The parser of JSON-LD documents: their names, texts and URLs.
 *
 * Vocabularies are not interpreted: any string that is an http or https URL is a link, any other is text, except those
 * under keywords (`@context`, `@type` …) and machine-readable values (dates, languages, identifiers).
 */
import type { FoundLink } from './html/link-collector.js';
import { CollapsedText, collect, collapseSpace } from './html/collapsed-text.js';
import { ReferenceResolver } from './html/reference-resolver.js';
import { decodeXml } from './html/charset.js';
import { charsetMetadata, maxLinks } from './page/html-page.js';
import { emptyPage } from './page/parse-page.js';
import { PARSE_MINOR, parseFailure, parseSuccess } from './page/parse-status.js';
import type { ParserInput, ReadPage } from './page/parser.js';
import { errorMessage } from './error-message.js';

export const JSON_LD_TYPES: readonly string[] = ['application/ld+json'];

/** Values read at most, so that a large document cannot take long. */
const MAX_VALUES = 1_000_000;
const MAX_URL_LENGTH = 4_096;
/** Keys whose value is the title, in order of preference. */
const NAMES: readonly string[] = ['headline', 'name', 'title', 'schema:name', 'rdfs:label', 'dc:title'];
const FOR_MACHINES =
  /^(?:@(?!id$|value$|graph$|list$|set$).*|.*(?:[dD]ate\w*|Time|inLanguage|identifier|sku|encodingFormat|sha256))$/;

/** Parses a JSON-LD document. Fails for invalid JSON. Never throws. */
export function readJsonLdPage({ content, page, props }: ParserInput): ReadPage {
  const { text: json, charset } = decodeXml(content, page.contentType);
  let document: unknown;
  try {
    document = JSON.parse(json);
  } catch (error) {
    const reason = errorMessage(error);
    return { ...emptyPage(page), status: parseFailure(PARSE_MINOR.invalid_format, `no JSON: ${reason}`) };
  }
  const reader = new JsonReader(new ReferenceResolver(page.url), maxLinks(props), props['parser.text.limit']);
  reader.read(document);
  return {
    ...emptyPage(page),
    status: parseSuccess(),
    title: collapseSpace(thingName(document), props['parser.title.limit']),
    text: reader.text.toString(),
    outlinks: reader.links,
    charset,
    metadata: charsetMetadata(charset, props),
  };
}

type Member = [key: string, value: unknown];

class JsonReader {
  readonly links: FoundLink[] = [];
  readonly text: CollapsedText;

  constructor(
    private readonly resolver: ReferenceResolver,
    private readonly maxLinks: number,
    maxText: number,
  ) {
    this.text = new CollapsedText(maxText);
  }

  /** Traverses with an explicit stack: JSON may be nested deeper than the call stack allows. */
  read(document: unknown): void {
    const waiting: Member[] = [['', document]];
    for (let seen = 0; waiting.length > 0 && seen < MAX_VALUES; seen++) {
      const [key, value] = waiting.pop()!;
      if (typeof value === 'string') this.take(key, value);
      else if (Array.isArray(value)) for (let at = value.length - 1; at >= 0; at--) waiting.push([key, value[at]]);
      else if (typeof value === 'object' && value !== null) pushMembers(waiting, value);
    }
  }

  private take(key: string, value: string): void {
    if (/^https?:\/\/[^\s<>"]+$/i.test(value.slice(0, MAX_URL_LENGTH + 1))) this.addLink(value);
    else if (key === 'url' || key === 'contentUrl') this.addLink(value);
    else if (key !== '@id') {
      collect(value.toWellFormed(), [this.text]);
      this.text.line();
    }
  }

  private addLink(reference: string): void {
    if (this.links.length >= this.maxLinks || reference.length > MAX_URL_LENGTH) return;
    const url = this.resolver.resolve(reference.toWellFormed());
    if (url !== null) this.links.push({ url, anchor: '' });
  }
}

/** Pushes the human-readable members of an object, the first one on top. */
function pushMembers(waiting: Member[], thing: object): void {
  const members: Member[] = Object.entries(thing);
  for (let at = members.length - 1; at >= 0; at--) {
    const member = members[at];
    if (member !== undefined && !FOR_MACHINES.test(member[0].slice(0, 100))) waiting.push(member);
  }
}

function thingName(document: unknown): string {
  const first: unknown = Array.isArray(document) ? document[0] : document;
  if (typeof first !== 'object' || first === null) return '';
  const thing = first as Readonly<Record<string, unknown>>;
  for (const key of NAMES) {
    const name = thing[key];
    if (typeof name === 'string') return name.toWellFormed();
  }
  const graph = thing['@graph'];
  return Array.isArray(graph) && !Array.isArray(graph[0]) ? thingName(graph[0]) : '';
}
