/**
 * Why a URL is not fetched now. Every reason has a stable code to branch on and a sentence that names the property, the
 * rule or the line; `blocks` tells those that stand in the way from those that only explain.
 */
import type { ReasonDto } from './url.dto.js';

/** All codes, with what they mean. Counters of GENERATE have the same names where the question is the same. */
export const reasonCodes = {
  MALFORMED: 'It is no URL that can be stored.',
  SCHEME: 'Its scheme is neither http nor https.',
  KEY_TOO_LONG: 'Its row key is longer than an index entry may be.',
  URL_TOO_LONG: 'As a link it would be dropped: db.max.outlink.length.',
  FILTERED: 'A URL filter or normalizer refuses it.',
  TRAP: 'It has the shape of a trap: repeating path segments, an endless calendar, very many parameters.',
  TEMPLATE_STOPPED: 'Pages of its URL template are near duplicates: trap.template.similar.after.',
  TEMPLATE_BUDGET: 'URLs of its template fill their budget: trap.template.pages.',
  HOST_BUDGET: 'Pages of its host fill their budget: trap.host.pages.',
  NORMALIZED: 'It is stored under another spelling.',
  AGENT_NAME: 'http.agent.name is not set: FETCH fails.',
  PROTOCOL_PLUGIN: 'plugin.includes has no protocol-http: FETCH fails.',
  INNER_ADDRESS: 'The egress guard refuses its address.',
  FETCH_FAILED: 'The request failed.',
  PORT: 'The egress guard refuses its port.',
  ADDRESS_UNKNOWN: 'Its name could not be resolved, so its address was not checked.',
  ROBOTS_DENIED: 'robots.txt forbids it, or did when it was visited.',
  ROBOTS_DEFERRED: 'robots.txt cannot be had now, so its host is left alone.',
  UNKNOWN_PAGE: 'The crawl does not know it.',
  EXEMPT: 'Links to it may leave their host or domain: db.ignore.external.exemptions.rules.',
  EXTERNAL: 'Links to it leave their host or domain: db.ignore.external.links.',
  NOFOLLOW: 'The pages that link to it ask not to follow the link.',
  LINK_DROPPED: 'A page links to it, and the link was dropped.',
  LINK_KEPT: 'A page links to it, and UPDATEDB will bring it in.',
  NOT_DUE: 'Its time has not come.',
  RETRY: 'The last visit failed for now; it is tried again.',
  GONE: 'The last visit found nothing there.',
  DUPLICATE: 'Another page has the same content.',
  REDIRECT: 'It leads to another URL.',
  REDIRECT_REFUSED: 'It leads to a URL that may not join the crawl.',
  NOT_MODIFIED: 'The server says that it did not change.',
  HTTP_STATUS: 'The server answered no page.',
  TRUNCATED: 'Only a part of it was kept.',
  PARSE_FAILED: 'Its content could not be read.',
  ORPHAN: 'No page links to it any more.',
  SITEMAP: 'It is a sitemap: GENERATE takes it with `sitemap` only.',
  IN_BATCH: 'It is in a batch already.',
  DISTANCE: 'Too many links from a seed: generate.max.distance.',
  SCORE_TOO_LOW: 'Its score is too low: generate.min.score.',
  STATUS_REJECTED: 'Only pages of another status are taken: generate.restrict.status.',
  INTERVAL_REJECTED: 'Its fetch interval is too long: generate.min.interval.',
  HOST_LIMIT: 'Better pages of its host fill the batch: generate.max.count, generate.max.count.expr.',
  PARTITION_LIMIT: 'Better pages fill its partition: topN divided by mapreduce.job.reduces.',
  TOP_N: 'Better pages fill the batch: generate.topN.',
  PLACE_UNKNOWN: 'Its position in the next batch could not be found in time.',
  HOST_BLOCKED: 'Its host is left alone for a while.',
  HOST_DRAINED: 'Its host is drained: nothing new is fetched from it.',
} as const;

export type ReasonCode = keyof typeof reasonCodes;

export type Reason = ReasonDto;

/** What an explanation may name beside its sentence. */
type Particulars = Omit<Reason, 'code' | 'blocks' | 'message'>;

/** A reason that keeps the URL from being fetched. */
export const blocked = (code: ReasonCode, message: string, particulars: Particulars = {}): Reason => ({
  code,
  blocks: true,
  message,
  ...particulars,
});

/** A reason that explains and does not stand in the way. */
export const noted = (code: ReasonCode, message: string, particulars: Particulars = {}): Reason => ({
  code,
  blocks: false,
  message,
  ...particulars,
});
