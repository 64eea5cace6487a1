/**
 * What a parser is, and what a parse filter is.
 *
 * A parser reads documents of some types: bytes in, a page out. Parsers of one type are tried in order until one
 * succeeds; a parser fails by a status of major code 2 or by throwing. Parse filters run behind it, one after another,
 * and may change anything about the page: most of them add metadata. Either may take its time (a promise); those that
 * do not cost nothing for it, as nothing waits where there is nothing to wait for.
 */
import type { FoundLink } from '../html/link-collector.js';
import type { PageFacts } from '../html/html-metadata.js';
import type { ParseStatus } from './parse-status.js';
import type { Signature } from './signature.js';

/** The crawl properties that parsing depends on, under their names. Any object that carries them will do. */
export interface ParseProps {
  /** Ids of active plugins: what a parse filter will ask for has to be collected by the parser. All where absent. */
  readonly plugins?: ReadonlySet<string>;
  /** Collect every fact, those too that are not stored: for the inspector. */
  readonly allFacts?: boolean;
  readonly 'db.max.anchor.length': number;
  /** Links looked at; 100,000 where absent. */
  readonly 'db.max.outlinks.per.page.cap'?: number;
  /** 0 to 100 lets a guess overrule the declared charset; -1: no guess. */
  readonly 'encodingdetector.charset.min.confidence': number;
  /** Elements whose text becomes metadata under their name, where the plugin `headings` is active. */
  readonly headings?: readonly string[];
  /** All of them, joined by a tab; else the first. */
  readonly 'headings.multivalued'?: boolean;
  /** Parse metadata that are wanted besides: the charset as `OriginalCharEncoding`, `CharEncodingForConversion`. */
  readonly 'db.parsemeta.to.crawldb'?: readonly string[];
  /** Meta elements that become metadata `metatag.<name>`; `*` for all. Description and keywords where absent. */
  readonly 'metatags.names'?: readonly string[];
  /** False: the header is believed without a look at the bytes. */
  readonly 'mime.type.magic': boolean;
  /** Written to metadata `caching.forbidden` of a page that forbids caching. */
  readonly 'parser.caching.forbidden.policy': string;
  readonly 'parser.character.encoding.default': string;
  readonly 'parser.html.form.use_action': boolean;
  /** What of its own data becomes metadata: og, jsonld, hreflang, images. None where absent. */
  readonly 'parse.html.metadata'?: readonly string[];
  /** Elements that end a line of text; as shipped where absent. */
  readonly 'parser.html.line.separators'?: readonly string[];
  /** Metadata that keeps the elements outlinks come from; empty: none. */
  readonly 'parser.html.outlinks.htmlnode_metadata_name'?: string;
  readonly 'parser.html.outlinks.ignore_tags': readonly string[];
  /** Words of `rel` by which a link is not followed; `nofollow` where absent. */
  readonly 'parser.html.outlinks.rel.ignore'?: readonly string[];
  /** Names of the crawler that pages may address, lower case: `<meta name="orbweaver">`, `X-Robots-Tag: orbweaver: …`. */
  readonly robotNames?: ReadonlySet<string>;
  readonly 'parser.skip.truncated': boolean;
  /** UTF-16 units. */
  readonly 'parser.text.limit': number;
  readonly 'parser.title.limit': number;
}

/** What is known of a page before it is parsed. */
export interface FetchedPage {
  /** The URL that references resolve against: the one that answered. */
  readonly url: string;
  /** `Content-Type` header as it came. */
  readonly contentType: string | null;
  /** Bytes announced for the content as it is stored (not for a compressed transfer). */
  readonly contentLengthHeader?: number | null;
  /** The fetcher cut the content. */
  readonly truncated?: boolean;
  /** Why the content cannot be read; absent where it can. */
  readonly unreadable?: string | undefined;
  /** The `X-Robots-Tag` headers, one a line. */
  readonly robotsTag?: string | null;
  readonly contentLanguage?: string | null;
  /** When it is parsed, ms: directives that expire (`unavailable_after`) are judged by it. Where absent none has expired. */
  readonly now?: number;
}

/** What a parser is given. `type` is the type found, in lower case, without parameters. */
export interface ParserInput {
  readonly content: Uint8Array;
  readonly page: FetchedPage;
  readonly type: string;
  readonly props: ParseProps;
}

export interface ReadPage {
  readonly status: ParseStatus;
  readonly title: string;
  /** Lines where blocks begin and end. */
  readonly text: string;
  /** As found: absolute, in order, duplicates kept; those that are not to be followed are marked so. */
  readonly outlinks: readonly FoundLink[];
  /** What references resolve against. */
  readonly base: string;
  /** What the document itself asks; the header `X-Robots-Tag` is added to it afterwards. */
  readonly robots: { readonly noindex: boolean; readonly nofollow: boolean; readonly nocache?: boolean };
  readonly refresh: { readonly url: string; readonly seconds: number } | null;
  readonly canonical: string | null;
  /** WHATWG name of the encoding; null for what was not decoded. */
  readonly charset: string | null;
  /** Kept with the page: names of at most 256 characters, values as text. */
  readonly metadata: Readonly<Record<string, string>>;
  /** What an HTML page says about itself, for parse filters; absent for other formats. */
  readonly facts?: PageFacts;
}

export interface TriedParser {
  readonly parser: string;
  readonly reason: string;
  /** Minor code of its parse status. */
  readonly minor: number;
}

export interface ParsedPage extends ReadPage {
  /** The type found, without parameters. */
  readonly type: string;
  /** The plugin that read it; null where none did. */
  readonly parser: string | null;
  /** Parsers that failed before (or, where `parser` is null, at all), in order. */
  readonly tried: readonly TriedParser[];
  /** Hex digits by `db.signature.class`, of the text as the filters left it; absent for a failed parse. */
  readonly signature?: string;
}

/** Reads one document. May throw or reject: the next parser of the type is tried then. */
export type Parser = (input: ParserInput) => ReadPage | Promise<ReadPage>;

/** Changes a page that was read. One that throws or rejects makes the parse fail. */
export type ParseFilter = (parsed: ParsedPage, input: ParserInput) => ParsedPage | Promise<ParsedPage>;

/** Something under the id of its plugin. */
export interface Named<T> {
  readonly id: string;
  readonly run: T;
}

export interface ParseChain {
  /** Parsers of a type, in the order they are tried; none for a type without a parser. */
  parsersOf(type: string): readonly Named<Parser>[];
  readonly filters: readonly Named<ParseFilter>[];
  /** Makes the fingerprint of a page; MD5 where absent. */
  readonly signature?: Signature;
}

/** `next` of a value, at once where the value is there, else when it comes. */
export function andThen<T, R>(value: T | Promise<T>, next: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}
