/** `POST /v1/inspect/url`: what would happen to a URL, and why. */
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { PageDto } from '../page/page.dto.js';
import { crawlIdShape, idShape, mustBeCrawlId, mustBeId } from '../request/ids.js';
import { reasonCodes } from './reason.js';
import { urlScopes } from './url-scope.js';

/** Longest URL that is looked at; far above what can be stored, so that it can be said why. */
export const MAX_URL_LENGTH = 65_536;
const orDefault = ({ value }: { value: unknown }): unknown => value ?? 'default';
/** Null is as good as not there. */
const orNone = ({ value }: { value: unknown }): unknown => value ?? undefined;

export class InspectUrl {
  @ApiProperty({
    description: 'The URL as you have it: a seed, a link, whatever the scheme.',
    example: 'HTTP://Site.test/a/../search?q=1',
  })
  @IsString()
  @Length(1, MAX_URL_LENGTH)
  url!: string;

  @ApiPropertyOptional({
    description:
      'The crawl whose table is asked. Without it, only a page of the crawl "" is looked for, and a page that is not known is no reason.',
    example: 'k1',
  })
  @Transform(orNone)
  @IsOptional()
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId?: string;

  @ApiPropertyOptional({ description: 'The configuration whose rules decide.', default: 'default', example: 'default' })
  @Transform(orDefault)
  @Matches(idShape, mustBeId)
  confId: string = 'default';

  @ApiPropertyOptional({
    description:
      'Where the URL comes in: the scope of the normalizers (`inject` for seeds, `outlink` for links, `fetcher` for redirects …). Or the scope of a crawl as in POST /v1/crawls: `host`, `domain` (db.ignore.external.links by host or domain), `any` (links may leave).',
    enum: urlScopes,
    default: 'default',
    example: 'outlink',
  })
  @Transform(orDefault)
  @IsIn(urlScopes)
  scope: string = 'default';

  @ApiPropertyOptional({
    description:
      'Ask robots.txt too: from the cache of the crawl, or by at most one guarded request of its server (8 s at most).',
    default: false,
    example: false,
  })
  @Transform(({ value }) => value ?? false)
  @IsBoolean()
  robots: boolean = false;

  @ApiPropertyOptional({
    description:
      'The page on which you saw the link. When the crawl does not know the URL, the stored content of this page tells what became of the link; without it some pages are looked at.',
  })
  @Transform(orNone)
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL_LENGTH)
  from?: string;
}

export class InspectedRule {
  @ApiProperty({
    description:
      'Its number among the rules of the plugin, from 1; comments do not count. 0: no line but a limit or a check, told in `text`.',
    example: 3,
  })
  number!: number;

  @ApiProperty({ description: 'The rule as it is written.', example: '-[?*!@=]' })
  text!: string;
}

export class InspectedLine {
  @ApiProperty({ description: 'Its number in the file, from 1.', example: 2 })
  number!: number;

  @ApiProperty({ description: 'The line.', example: 'Disallow: /private/' })
  text!: string;
}

const oneRule = (description: string) => ({ description, type: InspectedRule, nullable: true });

export class UrlStepDto {
  @ApiProperty({ description: 'The plugin.', example: 'urlnormalizer-basic' })
  plugin!: string;

  @ApiProperty({ description: 'What it does.', enum: ['normalizer', 'filter'], example: 'normalizer' })
  kind!: 'normalizer' | 'filter';

  @ApiProperty({ description: 'The URL before it.', example: 'HTTP://Site.test/a/../search?q=1' })
  before!: string;

  @ApiProperty({
    description: 'The URL behind it; null when it dropped the URL.',
    type: String,
    nullable: true,
    example: 'http://example.org/search?q=1',
  })
  after!: string | null;

  @ApiProperty({ description: 'Rules that changed the URL, or the one that decided about it.', type: [InspectedRule] })
  rules!: InspectedRule[];
}

export class UrlDecision {
  @ApiProperty({ description: 'The plugin that dropped the URL.', example: 'urlfilter-regex' })
  plugin!: string;

  @ApiProperty(oneRule('Its rule; null when no rule of it accepts the URL.'))
  rule!: InspectedRule | null;
}

export class UrlRobots {
  @ApiProperty({
    description:
      '`rules`: the file was read. `allow`, `deny`: its answer allows or forbids all. `wait`: it cannot be had now. `not-asked`: see why.',
    enum: ['rules', 'allow', 'deny', 'wait', 'not-asked'],
    example: 'rules',
  })
  state!: 'rules' | 'allow' | 'deny' | 'wait' | 'not-asked';

  @ApiProperty({ description: 'Null when it is not known.', type: Boolean, nullable: true, example: false })
  allowed!: boolean | null;

  @ApiProperty({ description: 'Crawl-delay for this crawler, seconds.', type: Number, nullable: true, example: null })
  crawlDelay!: number | null;

  @ApiProperty({
    description:
      'The rest that it makes, seconds: at least fetcher.min.crawl.delay. A longer delay of the host (GET /v1/hosts/{host}) wins.',
    type: Number,
    nullable: true,
    example: null,
  })
  delaySeconds!: number | null;

  @ApiProperty({
    description: 'Names in the file whose groups count together: those of this crawler, else `*`.',
    type: [String],
    example: ['*'],
  })
  agents!: string[];

  @ApiProperty({ description: 'The line that decided.', type: InspectedLine, nullable: true })
  line!: InspectedLine | null;

  @ApiProperty({
    description: 'Why it is not allowed, in words.',
    type: String,
    nullable: true,
    example: 'robots.txt line 2: Disallow: /private/',
  })
  why!: string | null;

  @ApiProperty({
    description: 'True when the server was asked just now, false when the cache answered.',
    example: false,
  })
  fetched!: boolean;
}

const codesInWords = Object.entries(reasonCodes)
  .map(([code, text]) => `${code}: ${text}`)
  .join(' ');

export class ReasonDto {
  @ApiProperty({
    description: `Branch on it. ${codesInWords}`,
    enum: Object.keys(reasonCodes),
    enumName: 'ReasonCode',
    example: 'FILTERED',
  })
  code!: string;

  @ApiProperty({ description: 'False for a reason that explains and does not stand in the way.', example: true })
  blocks!: boolean;

  @ApiProperty({
    description: 'A sentence that names the property, the rule or the line.',
    example: 'urlfilter-regex refuses it by rule 3: -[?*!@=]',
  })
  message!: string;

  @ApiPropertyOptional({ description: 'The property that decides.', example: 'generate.max.count' })
  property?: string;

  @ApiPropertyOptional({ description: 'The plugin that decides.', example: 'urlfilter-regex' })
  plugin?: string;

  @ApiPropertyOptional({ description: 'The rule that decides.', type: InspectedRule })
  rule?: InspectedRule;

  @ApiPropertyOptional({ description: 'The line of robots.txt that decides.', type: InspectedLine })
  line?: InspectedLine;

  @ApiPropertyOptional({ description: 'When it ends. ISO 8601, UTC.', example: '2026-02-28T12:00:00.000Z' })
  until?: string;

  @ApiPropertyOptional({ description: 'The other URL that it is about.', example: 'http://example.org/' })
  url?: string;
}

export class Fetchable {
  @ApiProperty({
    description: 'Whether the next GENERATE and FETCH would take it, as far as was asked: no reason blocks.',
    example: false,
  })
  now!: boolean;

  @ApiProperty({ description: 'What stands in the way, and what explains.', type: [ReasonDto] })
  reasons!: ReasonDto[];
}

export class InspectedUrl {
  @ApiProperty({ description: 'The URL as it was given.', example: 'HTTP://Site.test/a/../search?q=1' })
  given!: string;

  @ApiProperty({
    description: 'What the normalizers give, whatever the scheme; null when one of them drops it.',
    type: String,
    nullable: true,
    example: 'http://example.org/search?q=1',
  })
  normalized!: string | null;

  @ApiProperty({
    description: 'Its row key; null for a text without a scheme.',
    type: String,
    nullable: true,
    example: 'test.site:http/search?q=1',
  })
  key!: string | null;

  @ApiProperty({ description: 'Its host.', type: String, nullable: true, example: 'example.org' })
  host!: string | null;

  @ApiProperty({
    description: 'The registered domain of the host.',
    type: String,
    nullable: true,
    example: 'example.org',
  })
  domain!: string | null;

  @ApiProperty({ description: 'The verdict of normalizers and filters.', example: false })
  accepted!: boolean;

  @ApiProperty({ description: 'Its way through the plugins, up to the one that drops it.', type: [UrlStepDto] })
  steps!: UrlStepDto[];

  @ApiProperty({ description: 'Who dropped it; null when all accept it.', type: UrlDecision, nullable: true })
  decidedBy!: UrlDecision | null;

  @ApiPropertyOptional({ description: 'What robots.txt says, when asked for.', type: UrlRobots })
  robots?: UrlRobots;

  @ApiProperty({ description: 'The page, when the crawl knows it.', type: PageDto, nullable: true })
  page!: PageDto | null;

  @ApiProperty({ description: 'Whether it would be fetched now, and why not.', type: Fetchable })
  fetchable!: Fetchable;
}
