/**
 * Why a URL is not fetched now. Every reason has a stable code to branch on and a sentence that names the property, the
 * rule or the line; `blocks` separates reasons that prevent the fetch from those that only explain.
 */
import { type Rule, byRule } from '../../core/url/linear-regex.js';
import type { ReasonDto } from './url.dto.js';

/** All codes with their meaning. Counters of GENERATE have the same names for the same conditions. */
export const reasonCodes = {
  MALFORMED: 'It is not a URL that can be stored.',
  SCHEME: 'No active protocol fetches its scheme.',
  KEY_TOO_LONG: 'Its row key is longer than an index entry may be.',
  URL_TOO_LONG: 'It would be dropped as a link: db.max.outlink.length.',
  FILTERED: 'A URL filter or normalizer refuses it.',
  TRAP: 'It has the shape of a trap: repeating path segments, an endless calendar, very many parameters.',
  TEMPLATE_STOPPED: 'Pages of its URL template are near duplicates: trap.template.similar.after.',
  TEMPLATE_BUDGET: 'URLs of its template fill their budget: trap.template.pages.',
  HOST_BUDGET: 'Pages of its host fill their budget: trap.host.pages.',
  NORMALIZED: 'It is stored in another form.',
  AGENT_NAME: 'http.agent.name is not set: FETCH fails.',
  PROTOCOL_PLUGIN: 'No protocol is active: FETCH fails. plugin.includes must name protocol-http or another one.',
  INNER_ADDRESS: 'The egress guard refuses its address.',
  FETCH_FAILED: 'The request failed.',
  PORT: 'The egress guard refuses its port.',
  ADDRESS_UNKNOWN: 'Its name was not resolved, so its address was not checked.',
  ROBOTS_DENIED: 'robots.txt forbids it, or did when it was visited.',
  ROBOTS_DEFERRED: 'robots.txt is not available now, so requests to its host are deferred.',
  UNKNOWN_PAGE: 'The crawl does not know it.',
  EXEMPT: 'Links to it from other hosts or domains are allowed: db.ignore.external.exemptions.rules.',
  EXTERNAL: 'It is linked only from other hosts or domains: db.ignore.external.links.',
  NOFOLLOW: 'The pages that link to it ask not to follow the link.',
  LINK_DROPPED: 'A page links to it, and the link was dropped.',
  LINK_KEPT: 'A page links to it, and UPDATEDB will add it.',
  PAGE_NOT_READ: 'The stored content of a page that may link to it is damaged, or too large to search it for links.',
  NOT_DUE: 'It is not due yet.',
  RETRY: 'The last visit failed temporarily; it will be retried.',
  GONE: 'The last visit found nothing there.',
  DUPLICATE: 'Another page has the same content.',
  REDIRECT: 'It redirects to another URL.',
  REDIRECT_REFUSED: 'It redirects to a URL that is not allowed in the crawl.',
  HTTP_STATUS: 'The server did not return a page.',
  TRUNCATED: 'Only a part of it was kept.',
  PARSE_FAILED: 'Its content could not be parsed.',
  ORPHAN: 'No page links to it any more.',
  SITEMAP: 'It is a sitemap: GENERATE selects it with `sitemap` only.',
  IN_BATCH: 'It is in a batch already.',
  DISTANCE: 'Too many links from a seed: generate.max.distance.',
  SCORE_TOO_LOW: 'Its score is too low: generate.min.score.',
  STATUS_REJECTED: 'Only pages with another status are selected: generate.restrict.status.',
  INTERVAL_REJECTED: 'Its fetch interval is too long: generate.min.interval.',
  HOST_LIMIT: 'Better pages of its host fill the batch: generate.max.count, generate.max.count.expr.',
  PARTITION_LIMIT: 'Better pages fill its partition: topN divided by mapreduce.job.reduces.',
  TOP_N: 'Better pages fill the batch: generate.topN.',
  PLACE_UNKNOWN: 'Its position in the next batch could not be found in time.',
  HOST_BLOCKED: 'Its host is blocked until a later time.',
  HOST_DRAINED: 'Its host is drained: none of its pages is generated.',
} as const;

export type ReasonCode = keyof typeof reasonCodes;

export type Reason = ReasonDto;

/** What a reason may name besides its sentence. */
type Particulars = Omit<Reason, 'code' | 'blocks' | 'message'>;

/** The plugin and the rule that decided on a URL, as far as they are known. */
interface Decided {
  readonly plugin?: string | null;
  readonly rule?: Rule | null;
}

/** Who refuses a URL: as the end of a sentence, and as fields of a reason. */
export function refusedBy({ plugin, rule, rejected }: Decided & { readonly rejected: string }): {
  words: string;
  named: Particulars;
} {
  const words = plugin ? `${plugin} refuses it${byRule(rule)}` : `it is refused (${rejected})`;
  return { words, named: decidedBy({ plugin, rule }) };
}

export const decidedBy = ({ plugin, rule }: Decided): Particulars => ({
  ...(plugin && { plugin }),
  ...(rule && { rule }),
});

/** A reason that prevents the fetch. */
export const blocked = (code: ReasonCode, message: string, particulars: Particulars = {}): Reason => ({
  code,
  blocks: true,
  message,
  ...particulars,
});

/** A reason that explains and does not prevent the fetch. */
export const noted = (code: ReasonCode, message: string, particulars: Particulars = {}): Reason => ({
  code,
  blocks: false,
  message,
  ...particulars,
});
