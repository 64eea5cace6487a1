/** `POST /v1/inspect/parse`: what PARSE would make of some bytes. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { PageParseStatus } from '../page/page.dto.js';
import { idShape, mustBeId } from '../request/ids.js';
import { InspectedRule, MAX_URL_LENGTH } from './url.dto.js';

export class InspectParse {
  @ApiProperty({
    description: 'The URL of the page, http or https: references resolve against it.',
    example: 'http://example.org/docs/',
  })
  @IsString()
  @Length(1, MAX_URL_LENGTH)
  url!: string;

  @ApiProperty({
    description: 'The bytes of the page in base64 (RFC 4648 section 4, padded, without line breaks).',
    example: Buffer.from('<title>Hello</title><a href="/a">one</a> <a href="/b?c">two</a>').toString('base64'),
  })
  @IsString()
  contentBase64!: string;

  @ApiPropertyOptional({
    description: 'The Content-Type header as the server sent it. Without it the bytes and the URL tell.',
    type: String,
    nullable: true,
    example: 'text/html; charset=utf-8',
  })
  @IsOptional()
  @IsString()
  @MaxLength(500)
  contentType?: string | null;

  @ApiPropertyOptional({
    description: 'The X-Robots-Tag header as the server sent it; several headers divided by line ends.',
    type: String,
    nullable: true,
    example: 'otherbot: noindex',
  })
  @IsOptional()
  @IsString()
  @MaxLength(1_000)
  robotsTag?: string | null;

  @ApiPropertyOptional({ description: 'The configuration that decides.', default: 'default', example: 'default' })
  @Transform(({ value }) => value ?? 'default')
  @Matches(idShape, mustBeId)
  confId: string = 'default';
}

export class ParsedLink {
  @ApiProperty({ description: 'The link as found: absolute, with its fragment.', example: 'http://example.org/b?c' })
  url!: string;

  @ApiProperty({ description: 'The text a reader clicks on.', example: 'two' })
  anchor!: string;

  @ApiProperty({ description: 'Whether it becomes an outlink.', example: false })
  kept!: boolean;

  @ApiPropertyOptional({
    description: 'The URL under which it is kept, where that differs.',
    example: 'http://example.org/b',
  })
  keptAs?: string;

  @ApiPropertyOptional({
    description:
      'Who dropped it: the id of a plugin, or nofollow, scheme, malformed, length (db.max.outlink.length, or the longest row key), self, external (db.ignore.external.links), duplicate (it stands in the page before), limit (db.max.outlinks.per.page), refresh (the page is a redirect).',
    example: 'urlfilter-regex',
  })
  droppedBy?: string;

  @ApiPropertyOptional({
    description: 'The element it is from; absent in formats without elements.',
    example: 'a',
  })
  tag?: string;

  @ApiPropertyOptional({ description: 'The rule of that plugin.', type: InspectedRule })
  rule?: InspectedRule;
}

export class ParsedRobots {
  @ApiProperty({ description: 'Title and text are not kept.', example: false })
  noindex!: boolean;

  @ApiProperty({ description: 'No link is followed.', example: false })
  nofollow!: boolean;

  @ApiProperty({ description: 'The page forbids caching (noarchive, pragma no-cache).', example: false })
  nocache!: boolean;
}

export class FailedParser {
  @ApiProperty({ description: 'The id of the plugin.', example: 'parse-xml' })
  parser!: string;

  @ApiProperty({ description: 'Why it could not read the document.', example: 'no element' })
  reason!: string;
}

export class PageAlternate {
  @ApiProperty({ description: 'A language tag, or x-default.', example: 'de' })
  hreflang!: string;

  @ApiProperty({ description: 'The page in that language.', example: 'http://example.org/de/docs/' })
  url!: string;
}

export class PageImageDto {
  @ApiProperty({ description: 'Where the image is.', example: 'http://example.org/logo.png' })
  url!: string;

  @ApiProperty({ description: 'Its description.', example: 'Logo' })
  alt!: string;
}

export class PageData {
  @ApiProperty({
    description: 'Meta elements by name or property, lower case.',
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    example: { 'og:title': ['Hello'] },
  })
  metatags!: Record<string, string[]>;

  @ApiProperty({
    description: 'Texts of the elements of property headings, by name, where the plugin headings is on.',
    type: 'object',
    additionalProperties: { type: 'array', items: { type: 'string' } },
    example: { h1: ['Hello'] },
  })
  headings!: Record<string, string[]>;

  @ApiProperty({
    description: 'JSON-LD blocks as the page has them.',
    type: [String],
    example: ['{"@type":"WebPage"}'],
  })
  jsonLd!: string[];

  @ApiProperty({ description: 'The same page in other languages.', type: [PageAlternate] })
  alternates!: PageAlternate[];

  @ApiProperty({ description: 'Its images, at most 100.', type: [PageImageDto] })
  images!: PageImageDto[];
}

export class ParsedRefresh {
  @ApiProperty({ description: 'Seconds until then.', example: 0 })
  seconds!: number;

  @ApiProperty({ description: 'The other URL.', example: 'http://example.org/new' })
  url!: string;

  @ApiProperty({ description: 'Whether the rules let it become the one outlink of the page.', example: true })
  kept!: boolean;
}

export class InspectedPage {
  @ApiProperty({ description: 'How parsing ended.', type: PageParseStatus })
  status!: PageParseStatus;

  @ApiProperty({ description: 'The type that was found.', example: 'text/html' })
  type!: string;

  @ApiProperty({
    description: 'The plugin that read it; null where none could.',
    type: String,
    nullable: true,
    example: 'parse-html',
  })
  parser!: string | null;

  @ApiProperty({ description: 'Plugins that were tried before it and failed, in order.', type: [FailedParser] })
  tried!: FailedParser[];

  @ApiProperty({ description: 'The title.', example: 'Hello' })
  title!: string;

  @ApiProperty({ description: 'The text.', example: 'Hello\none two' })
  text!: string;

  @ApiProperty({ description: 'The links as found in the page, in order, duplicates kept.', type: [ParsedLink] })
  outlinks!: ParsedLink[];

  @ApiProperty({
    description: 'Links at the end of the list that are left out of this answer: it carries 4 MiB of them.',
    example: 0,
  })
  outlinksLeftOut!: number;

  @ApiProperty({ description: 'What references resolve against.', example: 'http://example.org/docs/' })
  base!: string;

  @ApiProperty({ description: 'What the page and its X-Robots-Tag ask of robots.', type: ParsedRobots })
  robots!: ParsedRobots;

  @ApiProperty({ description: 'The canonical URL it names.', type: String, nullable: true, example: null })
  canonical!: string | null;

  @ApiProperty({ description: 'Meta refresh to another URL.', type: ParsedRefresh, nullable: true })
  refresh!: ParsedRefresh | null;

  @ApiProperty({ description: 'The encoding that was used.', type: String, nullable: true, example: 'UTF-8' })
  charset!: string | null;

  @ApiProperty({
    description: 'Fingerprint by db.signature.class, 32 hex digits (SimHashSignature: 16); null for a failed parse.',
    type: String,
    nullable: true,
    example: '5eb63bbbe01eeed093cb22bb8f5acdc3',
  })
  signature!: string | null;

  @ApiProperty({
    description: 'What an HTML page says about itself, kept or not; null for other formats.',
    type: PageData,
    nullable: true,
  })
  data!: PageData | null;

  @ApiProperty({
    description: 'Metadata by name.',
    type: 'object',
    additionalProperties: { type: 'string' },
    example: { language: 'en' },
  })
  metadata!: Record<string, string>;
}
