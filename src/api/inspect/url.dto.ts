/** `POST /v1/inspect/url`: what would happen to a URL, and why. */
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { Field, FieldOf, FieldOrNull, FieldWithDefault, OptionalField, OptionalFieldOf } from '../openapi/fields.js';
import { PageDto } from '../page/page.dto.js';
import { ConfIdField, crawlIdShape, mustBeCrawlId } from '../request/ids.js';
import { type ReasonCode, reasonCodes } from './reason.js';
import { urlScopes } from './url-scope.js';

/** Longest URL that is looked at; far above what can be stored, so that it can be said why. */
export const MAX_URL_LENGTH = 65_536;
const orDefault = ({ value }: { value: unknown }): unknown => value ?? 'default';
/** Null is as good as not there. */
const orNone = ({ value }: { value: unknown }): unknown => value ?? undefined;

export class InspectUrl {
  @Field('The URL as you have it: a seed, a link, whatever the scheme.', 'HTTP://Site.test/a/../search?q=1')
  @IsString()
  @Length(1, MAX_URL_LENGTH)
  url!: string;

  @OptionalField(
    'The crawl whose table is asked. Without it, only a page of the crawl "" is looked for, and a page that is not known is no reason.',
    'k1',
  )
  @Transform(orNone)
  @IsOptional()
  @Matches(crawlIdShape, mustBeCrawlId)
  crawlId?: string;

  @ConfIdField('The configuration whose rules decide.')
  confId: string = 'default';

  @OptionalField(
    'Where the URL comes in: the scope of the normalizers (`inject` for seeds, `outlink` for links, `fetcher` for redirects …). Or the scope of a crawl as in POST /v1/crawls: `host`, `domain` (db.ignore.external.links by host or domain), `any` (links may leave).',
    'outlink',
    { enum: urlScopes, default: 'default' },
  )
  @Transform(orDefault)
  @IsIn(urlScopes)
  scope: string = 'default';

  @FieldWithDefault(
    false,
    'Ask robots.txt too: from the cache of the crawl, or by at most one guarded request of its server (8 s at most).',
    false,
  )
  @Transform(({ value }) => value ?? false)
  @IsBoolean()
  robots: boolean = false;

  @OptionalField(
    'The page on which you saw the link. When the crawl does not know the URL, the stored content of this page tells what became of the link; without it some pages are looked at.',
  )
  @Transform(orNone)
  @IsOptional()
  @IsString()
  @MaxLength(MAX_URL_LENGTH)
  from?: string;
}

export class InspectedRule {
  @Field(
    'Its number among the rules of the plugin, from 1; comments do not count. 0: no line but a limit or a check, told in `text`.',
    3,
  )
  number!: number;

  @Field('The rule as it is written.', '-[?*!@=]')
  text!: string;
}

export class InspectedLine {
  @Field('Its number in the file, from 1.', 2)
  number!: number;

  @Field('The line.', 'Disallow: /private/')
  text!: string;
}

export class UrlStepDto {
  @Field('The plugin.', 'urlnormalizer-basic')
  plugin!: string;

  @Field('What it does.', 'normalizer', { enum: ['normalizer', 'filter'] })
  kind!: 'normalizer' | 'filter';

  @Field('The URL before it.', 'HTTP://Site.test/a/../search?q=1')
  before!: string;

  @FieldOrNull(String, 'The URL behind it; null when it dropped the URL.', 'http://example.org/search?q=1')
  after!: string | null;

  @FieldOf([InspectedRule], 'Rules that changed the URL, or the one that decided about it.')
  rules!: InspectedRule[];
}

export class UrlDecision {
  @Field('The plugin that dropped the URL.', 'urlfilter-regex')
  plugin!: string;

  @FieldOrNull(InspectedRule, 'Its rule; null when no rule of it accepts the URL.')
  rule!: InspectedRule | null;
}

export class UrlRobots {
  @Field(
    '`rules`: the file was read. `allow`, `deny`: its answer allows or forbids all. `wait`: it cannot be had now. `not-asked`: see why.',
    'rules',
    { enum: ['rules', 'allow', 'deny', 'wait', 'not-asked'] },
  )
  state!: 'rules' | 'allow' | 'deny' | 'wait' | 'not-asked';

  @FieldOrNull(Boolean, 'Null when it is not known.', false)
  allowed!: boolean | null;

  @FieldOrNull(Number, 'Crawl-delay for this crawler, seconds.', null)
  crawlDelay!: number | null;

  @FieldOrNull(
    Number,
    'The rest that it makes, seconds: at least fetcher.min.crawl.delay. A longer delay of the host (GET /v1/hosts/{host}) wins.',
    null,
  )
  delaySeconds!: number | null;

  @FieldOf([String], 'Names in the file whose groups count together: those of this crawler, else `*`.', ['*'])
  agents!: string[];

  @FieldOrNull(InspectedLine, 'The line that decided.')
  line!: InspectedLine | null;

  @FieldOrNull(String, 'Why it is not allowed, in words.', 'robots.txt line 2: Disallow: /private/')
  why!: string | null;

  @Field('True when the server was asked just now, false when the cache answered.', false)
  fetched!: boolean;
}

const codesInWords = Object.entries(reasonCodes)
  .map(([code, text]) => `${code}: ${text}`)
  .join(' ');

export class ReasonDto {
  @Field(`Branch on it. ${codesInWords}`, 'FILTERED', { enum: Object.keys(reasonCodes), enumName: 'ReasonCode' })
  code!: ReasonCode;

  @Field('False for a reason that explains and does not stand in the way.', true)
  blocks!: boolean;

  @Field('A sentence that names the property, the rule or the line.', 'urlfilter-regex refuses it by rule 3: -[?*!@=]')
  message!: string;

  @OptionalField('The property that decides.', 'generate.max.count')
  property?: string;

  @OptionalField('The plugin that decides.', 'urlfilter-regex')
  plugin?: string;

  @OptionalFieldOf(InspectedRule, 'The rule that decides.')
  rule?: InspectedRule;

  @OptionalFieldOf(InspectedLine, 'The line of robots.txt that decides.')
  line?: InspectedLine;

  @OptionalField('When it ends. ISO 8601, UTC.', '2026-02-28T12:00:00.000Z')
  until?: string;

  @OptionalField('The other URL that it is about.', 'http://example.org/')
  url?: string;
}

export class Fetchable {
  @Field('Whether the next GENERATE and FETCH would take it, as far as was asked: no reason blocks.', false)
  now!: boolean;

  @FieldOf([ReasonDto], 'What stands in the way, and what explains.')
  reasons!: ReasonDto[];
}

export class InspectedUrl {
  @Field('The URL as it was given.', 'HTTP://Site.test/a/../search?q=1')
  given!: string;

  @FieldOrNull(
    String,
    'What the normalizers give, whatever the scheme; null when one of them drops it.',
    'http://example.org/search?q=1',
  )
  normalized!: string | null;

  @FieldOrNull(String, 'Its row key; null for a text without a scheme.', 'test.site:http/search?q=1')
  key!: string | null;

  @FieldOrNull(String, 'Its host.', 'example.org')
  host!: string | null;

  @FieldOrNull(String, 'The registered domain of the host.', 'example.org')
  domain!: string | null;

  @Field('The verdict of normalizers and filters.', false)
  accepted!: boolean;

  @FieldOf([UrlStepDto], 'Its way through the plugins, up to the one that drops it.')
  steps!: UrlStepDto[];

  @FieldOrNull(UrlDecision, 'Who dropped it; null when all accept it.')
  decidedBy!: UrlDecision | null;

  @OptionalFieldOf(UrlRobots, 'What robots.txt says, when asked for.')
  robots?: UrlRobots;

  @FieldOrNull(PageDto, 'The page, when the crawl knows it.')
  page!: PageDto | null;

  @FieldOf(Fetchable, 'Whether it would be fetched now, and why not.')
  fetchable!: Fetchable;
}
