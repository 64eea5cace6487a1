/** Parameters of `GET /v1/pages`: typed, bounded, and refused with their name. The cursor of the list is a row key. */
import { OmitType } from '@nestjs/swagger';
import { Matches } from 'class-validator';
import type { Pool } from 'pg';
import { PAGE_STATUS_CODES, readStatus, statusName } from '../../core/page/page-status.js';
import { type KeyRange, hostOfUrlPrefix, keysOfHost, keysWithUrlPrefix, within } from '../../core/url/key-range.js';
import type { PageRange } from '../../core/page/page-range.js';
import { hostKeyGiven, knownHostOfUrl } from '../host/host-key.js';
import { isRowKey } from '../../core/url/row-key.js';
import { OptionalField } from '../openapi/fields.js';
import { valueRefused } from '../refused-fields.js';
import { ConfIdField, CrawlIdField } from '../request/ids.js';
import { OneWord } from '../request/one-word.js';
import { requireBatch } from '../request/require-crawl.js';
import { OptionalText } from '../request/text-field.js';

const MAX_OF_JSON = 1_000;
const DEFAULT_LIMIT = 100;
const LIMIT_SHAPE = /^(?:all|[1-9]\d{0,8})$/;

export class PagesQuery {
  @CrawlIdField()
  crawlId: string = '';

  @OptionalText(
    4_096,
    'Only pages with this prefix. `http://site.test/docs/`: URLs of that scheme, host and port with that path prefix. Otherwise the prefix of a row key: `org.apache.` (every host below apache.org), `org.apache.nutch:` (one host, any scheme).',
  )
  prefix?: string;

  @OptionalText(
    255,
    'Only pages of one host: `www.site.test`, or reversed, `test.site.www`, if the crawl has no host with that name.',
  )
  host?: string;

  @OptionalText(300, 'Statuses by name or number, separated by commas: `db_fetched,db_notmodified`.')
  status?: string;

  @OptionalText(
    128,
    'Only pages that are in this batch now (generate mark), or were last in it (batch id): its id, or its name as a segment. Pages that are in it now have `partition` in their metadata, and here `rank`: their position in it by score.',
  )
  batch?: string;

  @OptionalField(
    `Maximum number of pages: 1 to ${MAX_OF_JSON} as JSON; any number, or \`all\`, as application/x-ndjson.`,
    '100',
    { default: String(DEFAULT_LIMIT), pattern: LIMIT_SHAPE.source },
  )
  @Matches(LIMIT_SHAPE, { message: '$property must be a number from 1 to 999999999, or "all"' })
  limit: string = String(DEFAULT_LIMIT);

  @OptionalText(4_096, 'A row key: `cursor` of the previous answer, or the `key` of the last line. Continues after it.')
  cursor?: string;
}

/** A list of pages of a crawl that the path names. */
export class CrawlPagesQuery extends OmitType(PagesQuery, ['crawlId'] as const) {}

/** One page: its crawl, and the configuration that normalizes the URL. */
export class PageQuery {
  @CrawlIdField()
  crawlId: string = '';

  @ConfIdField('Configuration whose normalizers are applied to the URL.')
  confId: string = 'default';
}

export const textForms = ['text', 'readable', 'markdown'] as const;

export class PageTextQuery extends PageQuery {
  @OneWord(
    textForms,
    'text: the whole text; readable: the main content (`parse.readable`); markdown: the same as Markdown (`parse.markdown`).',
    { example: 'text', default: 'text' },
  )
  as: (typeof textForms)[number] = 'text';
}

/** The limit as a number; Infinity for `all`. Throws FIELDS_INVALID for more than a JSON answer may contain. */
export function limitOf(limit: string, streamed: boolean): number {
  const number = limit === 'all' ? Infinity : Number(limit);
  if (streamed || number <= MAX_OF_JSON) return number;
  throw valueRefused(
    'limit',
    limit,
    `a number from 1 to ${MAX_OF_JSON} in a JSON answer; send "Accept: application/x-ndjson" for more, or for "all"`,
  );
}

/** Status codes of `db_fetched,3`. Throws FIELDS_INVALID. */
export function statusesOf(names: string): number[] {
  return names.split(',').map((text) => {
    const code = readStatus(text.trim());
    if (code !== null) return code;
    const known = PAGE_STATUS_CODES.map((status) => `${statusName(status)} (${status})`).join(', ');
    throw valueRefused('status', names, `names or numbers of page statuses, separated by commas: ${known}`);
  });
}

/** The range of pages that a query selects. Throws FIELDS_INVALID, BATCH_UNKNOWN. */
export async function rangeOfQuery(pool: Pool, crawl: number, query: CrawlPagesQuery): Promise<PageRange> {
  const { prefix, host, status, batch, cursor } = query;
  if (cursor && !isRowKey(cursor)) throw valueRefused('cursor', cursor, 'the cursor of an answer, or a row key');
  const byPrefix = prefix ? await keysOfPrefix(pool, crawl, prefix) : {};
  const byHost = host ? keysOfHost(await hostKeyGiven(pool, crawl, host)) : {};
  return {
    crawl,
    ...within(byPrefix, byHost),
    status: status ? statusesOf(status) : undefined,
    batch: batch ? await requireBatch(pool, crawl, batch) : undefined,
    after: cursor || undefined,
  };
}

async function keysOfPrefix(pool: Pool, crawl: number, prefix: string): Promise<KeyRange> {
  const keys = keysWithUrlPrefix(prefix);
  if (keys === null)
    throw valueRefused('prefix', prefix, 'the beginning of a URL with a host, or of a row key such as org.apache.');
  const host = hostOfUrlPrefix(prefix);
  if (host === undefined) return keys;
  return keysWithUrlPrefix(prefix, await knownHostOfUrl(pool, crawl, host)) ?? keys;
}
