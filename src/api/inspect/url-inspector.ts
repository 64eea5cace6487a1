/**
 * Inspects one URL: the rules, the address, robots.txt, and its row. Nothing is decided here; each decision is made by the code
 * that makes it for the jobs.
 */
import type { UrlRules } from '../../core/url/url-rules.js';
import { ownPorts } from '../../db/listen-addresses.js';
import { Injectable } from '@nestjs/common';
import type { Conf } from '../../core/conf/properties.js';
import { hostKeyOf, rowKeyOrNull } from '../../core/url/row-key.js';
import { guardFor } from '../../plugin/egress-guards.js';
import { schemeOf } from '../../plugin/protocols.js';
import { makeHttpClient } from '../../plugin/http-protocol.js';
import type { Sql } from '../../db/sql.js';
import { knownCrawl } from '../../webpage/crawl.store.js';
import type { PageRow } from '../../core/page/page-row.js';
import { pageByKey } from '../../webpage/page-columns.sql.js';
import { Database } from '../database.js';
import { pageView } from '../page/page-view.js';
import { ServerControl } from '../server-control.js';
import { AddressInspector } from './address-reasons.js';
import { ConfRules } from './conf-rules.js';
import { originReasons } from './origin-reasons.js';
import { pageReasons } from './page-reasons.js';
import type { Reason } from './reason.js';
import { type RobotsFinding, askRobots, unasked } from './robots-inspector.js';
import { type JudgedUrl, confReasons, judgeUrl, unspokenReasons } from './rule-reasons.js';
import { trapReasons } from './trap-reasons.js';
import { readScope } from './url-scope.js';
import type { InspectUrl, InspectedUrl } from './url.dto.js';

/** A request with its configuration and rules. */
interface Question extends InspectUrl {
  conf: Conf;
  rules: UrlRules;
  normalizerScope: string;
}

@Injectable()
export class UrlInspector {
  private readonly addresses = new AddressInspector();

  constructor(
    private readonly database: Database,
    private readonly confs: ConfRules,
    private readonly server: ServerControl,
  ) {}

  /** Throws CONFIG_ID_UNKNOWN. */
  async inspect(request: InspectUrl): Promise<InspectedUrl> {
    const known = await this.confs.read(request.confId);
    const { rules } = known;
    const { conf, scope: normalizerScope } = readScope(request.scope, known.conf);
    const question: Question = { ...request, conf, normalizerScope, rules };
    const judged = judgeUrl(question.rules, request.url, { scope: normalizerScope, conf });
    const outside = await this.outside(question, judged);
    const { page, reasons } = await this.inTable(question, judged);
    return inspectedUrl(judged, {
      page,
      robots: request.robots ? outside.robots : undefined,
      reasons: withoutRepeats([...judged.reasons, ...confReasons(conf), ...outside.reasons, ...reasons]),
    });
  }

  /** Reasons outside the crawl: the address of the URL, its robots.txt. */
  private async outside({ conf, robots }: Question, { stored }: JudgedUrl): Promise<RobotsFinding> {
    if (stored === null) return { robots: unasked('it is not a URL that can be fetched'), reasons: [] };
    const ports = await ownPorts(this.database.pool, this.server.port);
    const unspoken = unspokenReasons(stored.url, conf);
    if (unspoken.length > 0) return { robots: unasked('no active protocol fetches its scheme'), reasons: unspoken };
    const reasons = await this.addresses.reasons(guardFor(schemeOf(stored.url), conf, ports), stored.url);
    if (!stored.url.startsWith('http')) return { robots: unasked('its protocol has no robots.txt'), reasons };
    if (!robots) return { robots: unasked('not requested'), reasons };
    if (conf['http.agent.name'].trim() === '') return { robots: unasked('http.agent.name is not set'), reasons };
    if (reasons.some(({ blocks }) => blocks)) return { robots: unasked('its address is refused'), reasons };
    const client = makeHttpClient(conf, ports);
    try {
      const finding = await askRobots({ pool: this.database.pool, client, conf }, stored.url);
      return { robots: finding.robots, reasons: [...reasons, ...finding.reasons] };
    } finally {
      client.close();
    }
  }

  /** The page and the reasons from the crawl's tables. If no crawl was named, an unknown page is not a reason. */
  private async inTable(
    { conf, rules, crawlId, from }: Question,
    { given, stored, key: unstoredKey }: JudgedUrl,
  ): Promise<{ page: PageRow | undefined; reasons: Reason[] }> {
    const { pool } = this.database;
    const crawl = await knownCrawl(pool, crawlId ?? '');
    // The page may be stored under the URL as given: rules may have changed.
    const keys = [stored?.key ?? unstoredKey, rowKeyOrNull(given)].filter((key) => key !== null);
    const page = crawl === undefined ? undefined : await firstPage(pool, crawl, keys);
    if (crawl !== undefined && page) return { page, reasons: await pageReasons({ pool, crawl, conf, rules, page }) };
    if (crawlId === undefined || stored === null) return { page, reasons: [] };
    const known = crawl ?? NOBODY;
    const origin = await originReasons({
      pool,
      crawl: known,
      conf,
      rules,
      ...stored,
      from: this.keyOfPage(rules, from),
    });
    return { page, reasons: [...origin, ...(await trapReasons(pool, known, conf, stored))] };
  }

  private keyOfPage(rules: UrlRules, from: string | undefined): string | undefined {
    if (from === undefined) return undefined;
    const admission = rules.admit(from, 'default', { normalize: true, filter: false });
    return 'rejected' in admission ? '' : admission.key;
  }
}

/** The page of the first row key that the crawl knows. */
async function firstPage(db: Sql, crawl: number, keys: readonly string[]): Promise<PageRow | undefined> {
  for (const key of new Set(keys)) {
    const page = await pageByKey(db, crawl, { host: hostKeyOf(key), key });
    if (page) return page;
  }
  return undefined;
}

const NOBODY = -1;

function inspectedUrl(
  { given, normalized, key, host, domain, accepted, steps, decidedBy }: JudgedUrl,
  {
    page,
    robots,
    reasons,
  }: { page: PageRow | undefined; robots: RobotsFinding['robots'] | undefined; reasons: Reason[] },
): InspectedUrl {
  return {
    given,
    normalized,
    key,
    host,
    domain,
    accepted,
    steps: steps.map(({ rules, ...step }) => ({ ...step, rules: [...rules] })),
    decidedBy: decidedBy && { plugin: decidedBy.plugin, rule: decidedBy.rules.at(-1) ?? null },
    ...(robots && { robots }),
    page: page ? pageView(page) : null,
    fetchable: { now: reasons.every(({ blocks }) => !blocks), reasons },
  };
}

/** Drops explanations that repeat the code of a blocking reason. */
function withoutRepeats(reasons: Reason[]): Reason[] {
  const blocking = new Set(reasons.filter(({ blocks }) => blocks).map(({ code }) => code));
  return reasons.filter(({ code, blocks }) => blocks || !blocking.has(code));
}
