/**
 * The interfaces of parsers and parse filters.
 *
 * A parser turns the bytes of a document into a page. The parsers of a type are tried in order until one succeeds; a
 * parser fails by returning a status of major code 2 or by throwing. Parse filters run after it, one after another, and
 * may change anything in the page: most of them add metadata. Either may return a promise; results of synchronous ones
 * are used without an `await`.
 */
import type { FoundLink } from '../html/link-collector.js';
import type { HtmlFacts } from '../html/html-metadata.js';
import type { ParseStatus } from './parse-status.js';
import type { Signature } from './signature.js';
import type { PluginImplementation } from '../plugin-implementation.js';

/** The crawl properties that parsing uses, under their names. */
export interface ParseProps {
  /** Ids of active plugins: the parser collects only what their parse filters use. All where absent. */
  readonly plugins?: ReadonlySet<string>;
  /** Collect every fact, even those that are not stored: for the inspector. */
  readonly allFacts?: boolean;
  readonly 'db.max.anchor.length': number;
  /** Links read at most; 100,000 where absent. */
  readonly 'db.max.outlinks.per.page.cap'?: number;
  /** 0 to 100: a detected charset overrides the declared one; -1: no detection. */
  readonly 'encodingdetector.charset.min.confidence': number;
  /** Elements whose text becomes metadata under their name, where the plugin `headings` is active. */
  readonly headings?: readonly string[];
  /** All of them, joined by a tab; else the first. */
  readonly 'headings.multivalued'?: boolean;
  /** Additional parse metadata to keep: the charset as `OriginalCharEncoding`, `CharEncodingForConversion`. */
  readonly 'db.parsemeta.to.crawldb'?: readonly string[];
  /** Meta elements that become metadata `metatag.<name>`; `*` for all. Description and keywords where absent. */
  readonly 'metatags.names'?: readonly string[];
  /** False: the header is trusted and the bytes are not sniffed. */
  readonly 'mime.type.magic': boolean;
  /** Written to metadata `caching.forbidden` of a page that forbids caching. */
  readonly 'parser.caching.forbidden.policy': string;
  readonly 'parser.character.encoding.default': string;
  readonly 'parser.html.form.use_action': boolean;
  /** Declared data that becomes metadata: og, jsonld, hreflang, images. None where absent. */
  readonly 'parse.html.metadata'?: readonly string[];
  /** Elements that end a line of text; as shipped where absent. */
  readonly 'parser.html.line.separators'?: readonly string[];
  /** Metadata name under which outlinks keep the element they come from; empty: not kept. */
  readonly 'parser.html.outlinks.htmlnode_metadata_name'?: string;
  readonly 'parser.html.outlinks.ignore_tags': readonly string[];
  /** Values of `rel` that exclude a link; `nofollow` where absent. */
  readonly 'parser.html.outlinks.rel.ignore'?: readonly string[];
  /** Names of the crawler that pages may address, lower case: `<meta name="orbweaver">`, `X-Robots-Tag: orbweaver: …`. */
  readonly robotNames?: ReadonlySet<string>;
  readonly 'parser.skip.truncated': boolean;
  /** UTF-16 units. */
  readonly 'parser.text.limit': number;
  readonly 'parser.title.limit': number;
}

/** A page before it is parsed. */
export interface FetchedPage {
  /** The URL that was fetched; references resolve against it. */
  readonly url: string;
  /** `Content-Type` header as received. */
  readonly contentType: string | null;
  /** Announced length of the content as stored (not of a compressed transfer). */
  readonly contentLengthHeader?: number | null;
  /** The fetcher truncated the content. */
  readonly truncated?: boolean;
  /** Why the content cannot be read; absent where it can. */
  readonly unreadable?: string | undefined;
  /** The `X-Robots-Tag` headers, one per line. */
  readonly robotsTag?: string | null;
  readonly contentLanguage?: string | null;
  /** Time of the parse, ms, by which directives expire (`unavailable_after`). Where absent none has expired. */
  readonly now?: number;
}

/** Input of a parser. `type` is the detected type, in lower case, without parameters. */
export interface ParserInput {
  readonly content: Uint8Array;
  readonly page: FetchedPage;
  readonly type: string;
  readonly props: ParseProps;
}

export interface ReadPage {
  readonly status: ParseStatus;
  readonly title: string;
  /** With line breaks where blocks begin and end. */
  readonly text: string;
  /** As found: absolute, in order, with duplicates; links that are not to be followed are marked. */
  readonly outlinks: readonly FoundLink[];
  /** The base URL of references. */
  readonly base: string;
  /** Directives in the document; those of the header `X-Robots-Tag` are added afterwards. */
  readonly robots: { readonly noindex: boolean; readonly nofollow: boolean; readonly nocache?: boolean };
  readonly refresh: { readonly url: string; readonly seconds: number } | null;
  readonly canonical: string | null;
  /** WHATWG name of the encoding; null for a document that was not decoded. */
  readonly charset: string | null;
  /** Stored with the page: names of at most 256 characters, values as text. */
  readonly metadata: Readonly<Record<string, string>>;
  /** Data that an HTML page declares, for parse filters; absent for other formats. */
  readonly facts?: HtmlFacts;
}

export interface TriedParser {
  readonly parser: string;
  readonly reason: string;
  /** Minor code of its parse status. */
  readonly minor: number;
}

export interface ParsedPage extends ReadPage {
  /** The detected type, without parameters. */
  readonly type: string;
  /** The plugin that parsed it; null where none did. */
  readonly parser: string | null;
  /** Parsers that failed before it, in order (all of them where `parser` is null). */
  readonly tried: readonly TriedParser[];
  /** Hex signature by `db.signature.class`, made after the filters; absent for a failed parse. */
  readonly signature?: string;
}

/** Parses one document. May throw or reject: then the next parser of the type is tried. */
export type Parser = (input: ParserInput) => ReadPage | Promise<ReadPage>;

/** Changes a parsed page. If it throws or rejects, the parse fails. */
export type ParseFilter = (parsed: ParsedPage, input: ParserInput) => ParsedPage | Promise<ParsedPage>;

export interface ParseChain {
  /** Parsers of a type, in the order they are tried; none for a type without a parser. */
  parsersOf(type: string): readonly PluginImplementation<Parser>[];
  readonly filters: readonly PluginImplementation<ParseFilter>[];
  /** Computes the signature of a page; MD5 where absent. */
  readonly signature?: Signature;
}

/** Calls `next` with a value: immediately, or when its promise is fulfilled. */
export function andThen<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
