import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import { ConfStore } from '../../conf/conf.store.js';
import { Needs } from '../access/access.guard.js';
import { Database } from '../database.js';
import { hostKeyGiven } from '../host/host-key.js';
import { refusalBy, refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, crawlUnknown, pageUnknown } from '../problem.js';
import { valueRefused } from '../refused-fields.js';
import { AdmittedQuery } from '../request/admit.js';
import { requireCrawl } from '../request/require-crawl.js';
import { BrokenLinkList, BrokenLinksQuery } from './broken-links.dto.js';
import { MAX_PAGES, type LinkCursor, brokenLinks, formatCursor, readCursor } from './broken-links.query.js';
import { findPage, rowKeyGiven } from './page-finder.js';

@ApiTags('page')
@Controller('v1/broken-links')
export class BrokenLinksController {
  constructor(
    private readonly database: Database,
    private readonly confs: ConfStore,
  ) {}

  @Get()
  @Needs('read')
  @Operation(
    'List broken links',
    'Links to pages that are gone (db_gone) because their last visit failed, in the order of their source pages. Links to pages that robots.txt forbids do not count as broken, links of pages that are gone themselves are ignored, and pages that `db.update.purge.404` has removed are unknown. ' +
      `Each call reads the links of ${MAX_PAGES.any.toLocaleString('en')} pages, with \`target\` of ${MAX_PAGES.ofTarget.toLocaleString('en')}, including links within a host, independent of stored inlinks. Links of other hosts to a page are the \`inlinks\` of \`GET /v1/pages/{url}\`.`,
  )
  @ApiOkResponse({ description: 'The links.', type: BrokenLinkList })
  @Problems(
    refusalOf(BrokenLinksQuery, { limit: '5000' }),
    refusalBy(() => rowKeyGiven('target', 'site.test')),
    confIdUnknown('c9'),
    crawlUnknown('k9'),
    pageUnknown('http://site.test/none', 'k1'),
  )
  async listBrokenLinks(
    @AdmittedQuery(BrokenLinksQuery) { crawlId, confId, host, target, limit, cursor }: BrokenLinksQuery,
  ): Promise<BrokenLinkList> {
    const from = cursor ? givenCursor(cursor) : undefined;
    const { pool } = this.database;
    const crawl = await requireCrawl(pool, crawlId);
    const named = host ? await hostKeyGiven(pool, crawl, host) : undefined;
    const page = target
      ? await findPage({ pool, confs: this.confs }, crawl, { field: 'target', url: target, confId })
      : undefined;
    if (target && page === undefined) throw pageUnknown(target, crawlId);
    const range = { crawl, host: named ?? page?.host, target: page?.key, from, limit };
    const { links, next } = await brokenLinks(pool, range);
    return { links: links.map(({ link }) => link), cursor: next && formatCursor(next) };
  }
}

function givenCursor(cursor: string): LinkCursor {
  const read = readCursor(cursor);
  if (read === null) throw valueRefused('cursor', cursor, 'the cursor of an answer');
  return read;
}
