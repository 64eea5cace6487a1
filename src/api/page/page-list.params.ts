/** What `GET /v1/pages` is asked: read by field, bounded, refused by name. */
import { OmitType } from '@nestjs/swagger';
import { IsIn, Matches } from 'class-validator';
import type { Pool } from 'pg';
import { PAGE_STATUS_CODES, statusCode, statusName } from '../../core/page/page-status.js';
import {
  type Bounds,
  type PageRange,
  hostOfUrlPrefix,
  keysOfHost,
  keysWithUrlPrefix,
  within,
} from '../../webpage/page-range.js';
import { hostKeyGiven, knownHostOfUrl } from '../host/host-key.js';
import { isRowKey } from '../../core/url/row-key.js';
import { FieldWithDefault, OptionalField } from '../openapi/fields.js';
import { ConfIdField, CrawlIdField } from '../request/ids.js';
import { batchOf } from '../request/require-crawl.js';
import { type Problem, fieldsInvalid, shown, withOptions } from '../problem.js';
import { OptionalText } from '../request/text-field.js';

const MAX_OF_JSON = 1_000;
const DEFAULT_LIMIT = 100;

export class PagesQuery {
  @CrawlIdField()
  crawlId: string = '';

  @OptionalText(
    4_096,
    'Pages that begin so. `http://site.test/docs/`: URLs of that scheme, host and port whose path begins so. Otherwise the beginning of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme).',
  )
  prefix?: string;

  @OptionalText(
    255,
    'Pages of one host: `www.site.test`, or reversed, `test.site.www`, where the crawl has no host of the name.',
  )
  host?: string;

  @OptionalText(300, 'Statuses by name or number, separated by commas: `db_fetched,db_notmodified`.')
  status?: string;

  @OptionalText(
    128,
    'Pages that are in this batch now (generate mark), or were in it last (batch id): its id, or its name as a segment. Those that are in it have `partition` in their metadata, and here `rank`: the position in it by score.',
  )
  batch?: string;

  @FieldWithDefault(
    String(DEFAULT_LIMIT),
    `Pages at most: 1 to ${MAX_OF_JSON} as JSON; any number, or \`all\`, as application/x-ndjson.`,
    '100',
  )
  @Matches(/^(?:all|[1-9]\d{0,8})$/, { message: '$property must be a number from 1 to 999999999, or "all"' })
  limit: string = String(DEFAULT_LIMIT);

  @OptionalText(4_096, '`cursor` of the answer before, or the `key` of the last line: goes on behind it.')
  cursor?: string;
}

/** The same of a crawl that the address names. */
export class CrawlPagesQuery extends OmitType(PagesQuery, ['crawlId'] as const) {}

/** One page: which crawl, and whose normalizers read the URL. */
export class PageQuery {
  @CrawlIdField()
  crawlId: string = '';

  @ConfIdField('Configuration whose normalizers read the URL.')
  confId: string = 'default';
}

export const textForms = ['text', 'readable', 'markdown'] as const;

export class PageTextQuery extends PageQuery {
  @OptionalField(
    'text: all of it; readable: the main content (`parse.readable`); markdown: the same as Markdown (`parse.markdown`).',
    'text',
    { enum: textForms, default: 'text' },
  )
  @IsIn(textForms)
  as: (typeof textForms)[number] = 'text';
}

/** A field that was not as it should be; the sentence says what was given. */
export function fieldRefused(field: string, given: unknown, allowed: string): Problem {
  const message = `${field} must be ${allowed} (given: ${shown(given)})`;
  return withOptions(fieldsInvalid(`${message}.`), { errors: [{ field, message }] });
}

/** How many pages are wanted; Infinity for `all`. Throws FIELDS_INVALID for more than fits into a JSON answer. */
export function limitOf(limit: string, streamed: boolean): number {
  const number = limit === 'all' ? Infinity : Number(limit);
  if (streamed || number <= MAX_OF_JSON) return number;
  throw fieldRefused(
    'limit',
    limit,
    `a number from 1 to ${MAX_OF_JSON} in a JSON answer; send "Accept: application/x-ndjson" for more, or for "all"`,
  );
}

/** The code of a page status, by its name in any letter case or its number; undefined for what is none. */
export const statusOf = (given: string): number | undefined =>
  statusCode(given) ?? PAGE_STATUS_CODES.find((code) => String(code) === given);

/** Status codes of `db_fetched,3`. Throws FIELDS_INVALID. */
export function statusesOf(given: string): number[] {
  return given.split(',').map((text) => {
    const code = statusOf(text.trim());
    if (code !== undefined) return code;
    const known = PAGE_STATUS_CODES.map((one) => `${statusName(one)} (${one})`).join(', ');
    throw fieldRefused('status', given, `names or numbers of page statuses, separated by commas: ${known}`);
  });
}

/** The pages that a query means. Throws FIELDS_INVALID, BATCH_UNKNOWN. */
export async function rangeOf(pool: Pool, crawl: number, query: CrawlPagesQuery): Promise<PageRange> {
  const { prefix, host, status, batch, cursor } = query;
  if (cursor && !isRowKey(cursor)) throw fieldRefused('cursor', cursor, 'the cursor of an answer, or a row key');
  const byPrefix = prefix ? await keysOfPrefix(pool, crawl, prefix) : {};
  const byHost = host ? keysOfHost(await hostKeyGiven(pool, crawl, host)) : {};
  return {
    crawl,
    ...within(byPrefix, byHost),
    status: status ? statusesOf(status) : undefined,
    batch: batch ? await batchOf(pool, crawl, batch) : undefined,
    after: cursor || undefined,
  };
}

async function keysOfPrefix(pool: Pool, crawl: number, prefix: string): Promise<Bounds> {
  const keys = keysWithUrlPrefix(prefix);
  if (keys === null)
    throw fieldRefused('prefix', prefix, 'the beginning of a URL with a host, or of a row key such as org.apache.');
  const host = hostOfUrlPrefix(prefix);
  if (host === undefined) return keys;
  return keysWithUrlPrefix(prefix, await knownHostOfUrl(pool, crawl, host)) ?? keys;
}
