/** `POST /v1/inspect/url`: how a crawl would treat a URL, and why. */
import { Transform } from 'class-transformer';
import { IsBoolean, IsIn, IsOptional, IsString, Length, Matches, MaxLength } from 'class-validator';
import { ID_SHAPE_OR_EMPTY } from '../../core/id-shape.js';
import { Field, FieldOf, FieldOrNull, FieldWithDefault, OptionalField, OptionalFieldOf } from '../openapi/fields.js';
import { PageDto } from '../page/page.dto.js';
import { ConfIdField, mustBeCrawlId } from '../request/ids.js';
import { type ReasonCode, reasonCodes } from './reason-codes.js';
import { urlScopes } from './url-scope.js';

/** Longest URL that is accepted; far longer than a URL that can be stored, so that the reason can be given. */
export const MAX_URL_IN_BODY = 65_536;
const orDefault = ({ value }: { value: unknown }): unknown => value ?? 'default';
/** Null means the same as a missing field. */
const orNone = ({ value }: { value: unknown }): unknown => value ?? undefined;

export class InspectUrl {
  @Field('The URL as you have it: a seed, a link, whatever the scheme.', 'HTTP://Site.test/a/../search?q=1')
  @Length(1, MAX_URL_IN_BODY)
  @IsString()
  url!: string;

  @OptionalField(
    'The crawl to look in. Without it, the page is looked up in the crawl "", and an unknown page is not a reason.',
    'k1',
  )
  @Transform(orNone)
  @IsOptional()
  @Matches(ID_SHAPE_OR_EMPTY, mustBeCrawlId)
  crawlId?: string;

  @ConfIdField('The configuration whose rules apply.')
  confId: string = 'default';

  @OptionalField(
    'Where the URL enters: the scope of the normalizers (`inject` for seeds, `outlink` for links, `fetcher` for redirects …). Or the scope of a crawl as in POST /v1/crawls: `host`, `domain` (db.ignore.external.links by host or domain), `any` (all links).',
    'outlink',
    { enum: urlScopes, default: 'default' },
  )
  @Transform(orDefault)
  @IsIn(urlScopes)
  scope: string = 'default';

  @FieldWithDefault(
    false,
    'Check robots.txt, too: from the cache of the crawl, or by at most one guarded request to its server (8 s at most).',
    false,
  )
  @Transform(({ value }) => value ?? false)
  @IsBoolean()
  robots: boolean = false;

  @OptionalField(
    'The page on which you saw the link. When the crawl does not know the URL, the stored content of this page shows what happened to the link; without it some pages are searched.',
    'http://example.org/',
  )
  @Transform(orNone)
  @IsOptional()
  @MaxLength(MAX_URL_IN_BODY)
  @IsString()
  from?: string;
}

export class InspectedRule {
  @Field(
    'Its number among the rules of the plugin, from 1; comments do not count. 0: a limit or a check instead of a line, described in `text`.',
    3,
  )
  number!: number;

  @Field('The rule as written.', '-[?*!@=]')
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

  @FieldOrNull(String, 'The URL after it; null when it dropped the URL.', 'http://example.org/search?q=1')
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
    '`rules`: the file was read. `allow`, `deny`: the response allows or forbids everything. `wait`: it is not available now. `not-asked`: see why.',
    'rules',
    { enum: ['rules', 'allow', 'deny', 'wait', 'not-asked'] },
  )
  state!: 'rules' | 'allow' | 'deny' | 'wait' | 'not-asked';

  @FieldOrNull(Boolean, 'Null when unknown.', false)
  allowed!: boolean | null;

  @FieldOrNull(Number, 'Crawl-delay for this crawler, seconds.', null)
  crawlDelay!: number | null;

  @FieldOrNull(
    Number,
    'The delay that results from it, seconds: at least fetcher.min.crawl.delay. A longer delay of the host (GET /v1/hosts/{host}) takes precedence.',
    null,
  )
  delaySeconds!: number | null;

  @FieldOf([String], 'Names in the file whose groups are combined: those of this crawler, else `*`.', ['*'])
  agents!: string[];

  @FieldOrNull(InspectedLine, 'The line that decided.')
  line!: InspectedLine | null;

  @FieldOrNull(String, 'Why it is not allowed.', 'robots.txt line 2: Disallow: /private/')
  why!: string | null;

  @Field('True when it was requested from the server just now, false when it was cached.', false)
  fetched!: boolean;
}

const codeDescriptions = Object.entries(reasonCodes)
  .map(([code, text]) => `${code}: ${text}`)
  .join(' ');

export class ReasonDto {
  @Field(`Branch on it. ${codeDescriptions}`, 'FILTERED', { enum: Object.keys(reasonCodes), enumName: 'ReasonCode' })
  code!: ReasonCode;

  @Field('False for a reason that explains and does not prevent the fetch.', true)
  blocks!: boolean;

  @Field('A sentence that names the property, the rule or the line.', 'urlfilter-regex refuses it by rule 3: -[?*!@=].')
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

  @OptionalField('Another URL that the reason mentions.', 'http://example.org/')
  url?: string;
}

export class Fetchable {
  @Field('Whether the next GENERATE and FETCH would fetch it, as far as was checked: no reason blocks.', false)
  now!: boolean;

  @FieldOf([ReasonDto], 'Reasons that prevent the fetch, and reasons that explain.')
  reasons!: ReasonDto[];
}

export class InspectedUrl {
  @Field('The URL as it was given.', 'HTTP://Site.test/a/../search?q=1')
  given!: string;

  @FieldOrNull(
    String,
    'The normalized URL, whatever its scheme; null when a normalizer drops it.',
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

  @FieldOf([UrlStepDto], 'The plugins applied, up to the one that drops it.')
  steps!: UrlStepDto[];

  @FieldOrNull(UrlDecision, 'What dropped it; null when all plugins accept it.')
  decidedBy!: UrlDecision | null;

  @OptionalFieldOf(UrlRobots, 'The verdict of robots.txt, if requested.')
  robots?: UrlRobots;

  @FieldOrNull(PageDto, 'The page, when the crawl knows it.')
  page!: PageDto | null;

  @FieldOf(Fetchable, 'Whether it would be fetched now, and why not.')
  fetchable!: Fetchable;
}
