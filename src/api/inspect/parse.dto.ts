/** `POST /v1/inspect/parse`: how PARSE would parse given bytes. */
import { IsOptional, IsString, Length, MaxLength } from 'class-validator';
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';
import { Field, FieldOf, FieldOrNull, OptionalField, OptionalFieldOf, RecordField } from '../openapi/fields.js';
import { PageParseStatus } from '../page/page.dto.js';
import { ConfIdField } from '../request/ids.js';
import { InspectedRule, MAX_URL_IN_BODY } from './url.dto.js';

export class InspectParse {
  @Field('The URL of the page, http or https: references resolve against it.', 'http://example.org/docs/')
  @Length(1, MAX_URL_IN_BODY)
  @IsString()
  url!: string;

  @Field(
    'The bytes of the page in base64 (RFC 4648 §4, padded, without line breaks).',
    Buffer.from('<title>Hello</title><a href="/a">one</a> <a href="/b?c">two</a>').toString('base64'),
  )
  @IsString()
  contentBase64!: string;

  @OptionalField(
    'The Content-Type header as the server sent it. Without it the type is detected from the bytes and the URL.',
    'text/html; charset=utf-8',
    { type: String, nullable: true },
  )
  @IsOptional()
  @MaxLength(500)
  @IsString()
  contentType?: string | null;

  @OptionalField(
    'The X-Robots-Tag header as the server sent it; several headers separated by line breaks.',
    'otherbot: noindex',
    { type: String, nullable: true },
  )
  @IsOptional()
  @MaxLength(STORED_LENGTHS.robotsTag)
  @IsString()
  robotsTag?: string | null;

  @ConfIdField('The configuration.')
  confId: string = 'default';
}

export class ParsedLink {
  @Field('The link as found: absolute, with its fragment; user info is masked.', 'http://example.org/b?c')
  url!: string;

  @Field('The text of the link.', 'two')
  anchor!: string;

  @Field('Whether it becomes an outlink.', false)
  kept!: boolean;

  @OptionalField('The URL under which it is kept, if different.', 'http://example.org/b')
  keptAs?: string;

  @OptionalField(
    'Why it was dropped: the id of a plugin, or nofollow, scheme, malformed, length (db.max.outlink.length, or the longest row key), self, external (db.ignore.external.links), duplicate (an earlier link of the page has the same target), limit (db.max.outlinks.per.page), refresh (the page is a redirect).',
    'urlfilter-regex',
  )
  droppedBy?: string;

  @OptionalField('The element that contains it; absent in formats without elements.', 'a')
  tag?: string;

  @OptionalFieldOf(InspectedRule, 'The rule of that plugin.')
  rule?: InspectedRule;
}

export class ParsedRobots {
  @Field('Title and text are not kept.', false)
  noindex!: boolean;

  @Field('No link is followed.', false)
  nofollow!: boolean;

  @Field('The page forbids caching (noarchive, pragma no-cache).', false)
  nocache!: boolean;
}

export class FailedParser {
  @Field('The id of the plugin.', 'parse-xml')
  parser!: string;

  @Field('Why it could not read the document.', 'no element')
  reason!: string;
}

export class PageAlternate {
  @Field('A language tag, or x-default.', 'de')
  hreflang!: string;

  @Field('The page in that language.', 'http://example.org/de/docs/')
  url!: string;
}

export class PageImageDto {
  @Field('URL of the image.', 'http://example.org/logo.png')
  url!: string;

  @Field('Its text alternative (`alt`).', 'Logo')
  alt!: string;
}

export class PageData {
  @RecordField(
    'Meta elements by name or property, lower case.',
    { 'og:title': ['Hello'] },
    { type: 'array', items: { type: 'string' } },
  )
  metatags!: Record<string, string[]>;

  @RecordField(
    'Texts of the elements that the property headings names, by name, if the plugin headings is active.',
    { h1: ['Hello'] },
    { type: 'array', items: { type: 'string' } },
  )
  headings!: Record<string, string[]>;

  @FieldOf([String], 'JSON-LD blocks as the page has them.', ['{"@type":"WebPage"}'])
  jsonLd!: string[];

  @FieldOf([PageAlternate], 'The same page in other languages.')
  alternates!: PageAlternate[];

  @FieldOf([PageImageDto], 'Its images, at most 100.')
  images!: PageImageDto[];
}

export class ParsedRefresh {
  @Field('Seconds until the refresh.', 0)
  seconds!: number;

  @Field('The other URL.', 'http://example.org/new')
  url!: string;

  @Field('Whether the rules keep it as the only outlink of the page.', true)
  kept!: boolean;
}

export class InspectedPage {
  @FieldOf(PageParseStatus, 'How parsing ended.')
  status!: PageParseStatus;

  @Field('The detected media type.', 'text/html')
  type!: string;

  @FieldOrNull(String, 'The plugin that parsed it; null when none could.', 'parse-html')
  parser!: string | null;

  @FieldOf([FailedParser], 'Plugins that were tried before it and failed, in order.')
  tried!: FailedParser[];

  @Field('The title.', 'Hello')
  title!: string;

  @Field('The text.', 'Hello\none two')
  text!: string;

  @FieldOf([ParsedLink], 'The links as found in the page, in order, duplicates kept.')
  outlinks!: ParsedLink[];

  @Field('Number of links at the end of the list that are omitted: a response contains at most 4 MiB of them.', 0)
  outlinksLeftOut!: number;

  @Field('The base URL of references; user info is masked.', 'http://example.org/docs/')
  base!: string;

  @FieldOf(ParsedRobots, 'The robots directives of the page and of its X-Robots-Tag.')
  robots!: ParsedRobots;

  @FieldOrNull(String, 'The canonical URL it names.', null)
  canonical!: string | null;

  @FieldOrNull(ParsedRefresh, 'Meta refresh to another URL.')
  refresh!: ParsedRefresh | null;

  @FieldOrNull(String, 'The encoding that was used.', 'UTF-8')
  charset!: string | null;

  @FieldOrNull(
    String,
    'Hash of the content by db.signature.class, 32 hex digits (SimHashSignature: 16); null for a failed parse.',
    '5eb63bbbe01eeed093cb22bb8f5acdc3',
  )
  signature!: string | null;

  @FieldOrNull(PageData, 'Metadata that an HTML page declares, stored or not; null for other formats.')
  data!: PageData | null;

  @RecordField('Metadata by name.', { language: 'en' }, { type: 'string' })
  metadata!: Record<string, string>;
}
