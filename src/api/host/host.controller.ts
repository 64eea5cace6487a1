/**
 * Hosts of a crawl for operators: the state of their pages and servers, and manual settings that FETCH and GENERATE obey: delays,
 * threads, a block, draining.
 */
import { Body, Controller, Get, HttpCode, Param, Patch, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { ConfStore } from '../../conf/conf.store.js';
import { transaction } from '../../db/sql.js';
import { changeHost, unblockQueues } from '../../politeness/host-settings.store.js';
import { lockCrawl } from '../../job/crawl-jobs.store.js';
import { hasPages, knownCrawl } from '../../webpage/crawl.store.js';
import { Needs } from '../access/access.guard.js';
import { crawlBeingDeleted, refusingDeleted } from '../crawl/deletion.problems.js';
import { Database } from '../database.js';
import { Heavy, largeConf } from '../heavy/heavy.js';
import { refusalOf } from '../openapi/example-refusals.js';
import { Operation } from '../openapi/operation.js';
import { Problems } from '../openapi/problem-answers.js';
import { confIdUnknown, crawlUnknown, shown } from '../problem.js';
import { fieldRefused } from '../refused-fields.js';
import { AdmittedQuery, admit } from '../request/admit.js';
import { listPage } from '../request/list-cursor.js';
import { notice } from '../request/notice.js';
import { requireCrawl } from '../request/require-crawl.js';
import { changeOf, keyToChange } from './host-change.js';
import { type ConfOfHosts, confOfHosts } from './host-conf.js';
import { HostDetailDto } from './host-detail.dto.js';
import { hostDetail } from './host-detail.query.js';
import { HostChanges, HostDto, HostList, HostQuery, HostsQuery } from './host.dto.js';
import { hostUnknown } from './host.problems.js';
import { hostKeyGiven } from './host-key.js';
import { domainKeyGiven, hostsOf, queuesOfKey } from './host.query.js';

@ApiTags('host')
@Controller('v1/hosts')
export class HostController {
  constructor(
    private readonly database: Database,
    private readonly confs: ConfStore,
  ) {}

  @Get()
  @Heavy('query', largeConf)
  @Needs('read')
  @Operation(
    'List hosts',
    'Hosts of a crawl in the order of their reversed names, with exact counts of their pages by status. Read from the small host table, not from the pages. Pages of `file:` URLs have no host, and are counted in none.',
  )
  @ApiOkResponse({ description: 'The hosts.', type: HostList })
  @Problems(refusalOf(HostsQuery, { limit: '5000' }), confIdUnknown('c9'), crawlUnknown('k9'))
  async list(
    @AdmittedQuery(HostsQuery) { crawlId, confId, prefix, domain, limit, cursor }: HostsQuery,
  ): Promise<HostList> {
    const using = await this.confOf(crawlId, confId);
    const { pool } = this.database;
    const crawl = await requireCrawl(pool, crawlId);
    const range = {
      crawl,
      prefix: prefix?.toLowerCase(),
      domain: domain ? await domainKeyGiven(pool, crawl, domain, using) : undefined,
      after: cursor?.slice(0, -1),
      // One more is read than is returned: it shows whether there is a next page.
      limit: limit + 1,
    };
    const listed = await hostsOf(pool, range, using);
    const { items: hosts, cursor: next } = listPage(listed, limit, ({ key }) => `${key}/`);
    return { hosts, cursor: next };
  }

  @Get(':host')
  @Heavy('query', largeConf)
  @Needs('read')
  @ApiParam({ name: 'host', description: 'Host as in URLs, or reversed.', example: 'example.org', type: String })
  @Operation(
    'Read a host',
    'Counts of its pages by status, meaning and age of its robots.txt, when the next request may be sent, its sitemaps (SITEMAP), and the facts of HOSTDB.',
  )
  @ApiOkResponse({ description: 'The host.', type: HostDetailDto })
  @Problems(hostUnknown('none.test', 'k1'), confIdUnknown('c9'), refusalOf(HostQuery, { crawlId: 'a b' }))
  async read(
    @Param('host') hostName: string,
    @AdmittedQuery(HostQuery) { crawlId, confId }: HostQuery,
  ): Promise<HostDetailDto> {
    if (hostName.includes('\0')) throw fieldRefused('host', 'host must not have a NUL character');
    const using = await this.confOf(crawlId, confId);
    const { pool } = this.database;
    const crawl = await knownCrawl(pool, crawlId);
    if (crawl === undefined) throw hostUnknown(hostName, crawlId);
    const key = await hostKeyGiven(pool, crawl, hostName);
    const [host] = await hostsOf(pool, { crawl, prefix: key, limit: 1 }, using);
    if (host?.key !== key) throw hostUnknown(hostName, crawlId);
    return { ...host, ...(await hostDetail(pool, crawl, key)) };
  }

  @Patch(':host')
  @Heavy('query', largeConf)
  @Needs('run')
  @HttpCode(200)
  @ApiParam({ name: 'host', description: 'Host as in URLs, or reversed.', example: 'example.org', type: String })
  @ApiBody({
    type: HostChanges,
    examples: {
      slower: { summary: 'Ten seconds between two requests', value: { delaySeconds: 10 } },
      drain: { summary: 'Nothing new from this host', value: { drain: true } },
      alone: { summary: 'No requests until a given time', value: { blockedUntil: '2036-01-31T08:00:00Z' } },
      free: { summary: 'Back to the properties', value: { blockedUntil: null, delaySeconds: null, threads: null } },
    },
  })
  @Operation(
    'Change how a host is treated',
    'Sets the given fields: null clears a field, missing ones stay. The settings apply to this crawl, also if it has not seen the host yet. They may be set before its first INJECT: while the crawl has no pages, the header `Orbweaver-Notice` says so. A running FETCH applies them within seconds, GENERATE leaves out hosts that are drained or blocked. ' +
      'A longer Crawl-delay of robots.txt still applies.',
  )
  @ApiOkResponse({ description: 'The host as it is now.', type: HostDto })
  @Problems(
    refusalOf(HostChanges, { delaySeconds: 100_000 }),
    confIdUnknown('c9'),
    crawlBeingDeleted('k1', 'k1-default-DROPCRAWL-9'),
  )
  async change(
    @Param('host') hostName: string,
    @AdmittedQuery(HostQuery) { crawlId, confId }: HostQuery,
    @Body() body: unknown,
    @Res({ passthrough: true }) response: Response,
  ): Promise<HostDto> {
    const change = changeOf(admit(HostChanges, body).value, Date.now());
    const using = await this.confOf(crawlId, confId);
    const { pool } = this.database;
    const known = await knownCrawl(pool, crawlId);
    const key = await keyToChange(pool, known, hostName);
    const crawl = await refusingDeleted(() =>
      transaction(pool, async (tx) => {
        const locked = await lockCrawl(tx, crawlId);
        await changeHost(tx, locked, key, change);
        if (change.blockedUntil === null) await unblockQueues(tx, queuesOfKey(key));
        return locked;
      }),
    );
    const [host] = await hostsOf(pool, { crawl, prefix: key, limit: 1 }, using);
    if (host?.key !== key) throw hostUnknown(hostName, crawlId);
    // The id may be mistyped.
    if (!(await hasPages(pool, crawl)))
      notice(response, [`Crawl ${shown(crawlId)} has no pages yet: the settings apply when it has.`]);
    return host;
  }

  private confOf(crawlId: string, confId: string | undefined): Promise<ConfOfHosts> {
    return confOfHosts({ pool: this.database.pool, confs: this.confs }, crawlId, confId);
  }
}
