/**
 * Why a URL was never added to a crawl: no page linked to it, or the links were dropped. The stored content of pages that may
 * link to it is parsed again, by the parser and the rules of PARSE. Bounded in pages and time.
 */
import type { UrlRules } from '../../core/url/url-rules.js';
import type { Pool } from 'pg';
import type { Conf } from '../../core/conf/properties.js';
import { MASK } from '../../core/conf/properties.js';
import { keepingAll } from '../../core/score/scoring-filter.js';
import { domainKeyOf } from '../../core/url/domain.js';
import { hostKeyOf, unreverseUrl } from '../../core/url/row-key.js';
import { maskedUserInfo } from '../../core/url/url-credentials.js';
import { type JudgedLink, PageParser } from '../../cycle/parse/page-parser.js';
import { depthScoring } from '../../plugin/builtin/scoring-depth.js';
import { activePlugins } from '../../plugin/registry.js';
import { makeScoring } from '../../plugin/scoring-filters.js';
import { decompress } from '../../webpage/compression.js';
import { type StoredPage, hasPagesOf, storedKeys, storedPage } from './inspect.query.js';
import { type Reason, blocked, noted, refusedBy } from './reason.js';

/** Maximum number of bytes that are read of each page. */
const MAX_BYTES = 67_108_864;
/** Pages parsed again: of the URL's own host, and the first of the crawl. */
const SAMPLED = 20;
const SAMPLE_MS = 1_500;
const MAX_FOUND = 5;

export interface UnknownPage {
  pool: Pool;
  crawl: number;
  conf: Conf;
  rules: UrlRules;
  /** The URL as it would be stored, and its row key. */
  url: string;
  key: string;
  /** Row key of the page on which the user saw the link. */
  from: string | undefined;
}

/** Why the crawl does not know the URL, as far as its pages show. */
export async function originReasons(unknownPage: UnknownPage): Promise<Reason[]> {
  const { links, notRead } = await linksTo(unknownPage);
  const reasons = links.map(({ page, link }) => dropReason(unknownPage, page, link));
  const isExternal = reasons.some(({ code }) => code === 'EXTERNAL') || (await isOutside(unknownPage));
  const property = 'db.ignore.external.links';
  if (isExternal && !reasons.some(({ code }) => code === 'EXTERNAL')) {
    const mode = unknownPage.conf['db.ignore.external.links.mode'];
    const scope = mode === 'byDomain' ? 'domain' : 'host';
    const message = `The crawl has no page of its ${scope}, and ${property} (${mode}) drops links to other ones.`;
    reasons.unshift(blocked('EXTERNAL', message, { property }));
  }
  return [unknown(unknownPage, links.length), ...once(reasons), ...notRead.map(notReadReason)];
}

function unknown({ url, from }: UnknownPage, links: number): Reason {
  const where = from === undefined ? 'none of the pages searched links' : `${unreverseUrl(from)} does not link`;
  const why = links > 0 ? 'the links to it were dropped' : `it is no seed, and ${where} to it`;
  return blocked('UNKNOWN_PAGE', `The crawl does not know ${url}: ${why}.`);
}

/** Whether no page of the crawl can link to it, because links may not leave their host or domain. */
async function isOutside({ pool, crawl, conf, rules, url, key }: UnknownPage): Promise<boolean> {
  if (!conf['db.ignore.external.links'] || rules.exempt('', url).accepted) return false;
  const host = hostKeyOf(key);
  const byDomain = conf['db.ignore.external.links.mode'] === 'byDomain';
  return !(await hasPagesOf(pool, crawl, byDomain ? { domain: domainKeyOf(host) } : { host }));
}

interface FoundLink {
  page: StoredPage;
  link: JudgedLink;
}

/** The links to the URL, and the first pages that could not be searched for them. */
async function linksTo(unknownPage: UnknownPage): Promise<{ links: FoundLink[]; notRead: string[] }> {
  const { pool, crawl } = unknownPage;
  const parser = new PageParser(unknownPage.conf, unknownPage.rules);
  const end = performance.now() + SAMPLE_MS;
  const links: FoundLink[] = [];
  const notRead: string[] = [];
  for (const key of await candidates(unknownPage)) {
    if (performance.now() > end) break;
    const page = await storedPage(pool, crawl, { host: hostKeyOf(key), key });
    if (page === undefined) continue;
    const judged = await judgedLinks(parser, page);
    if (judged === null && notRead.length < MAX_FOUND) notRead.push(unreverseUrl(key));
    for (const link of judged ?? []) {
      // Of several links to one target only the first counts.
      if (links.length < MAX_FOUND && link.dropped !== 'duplicate' && isSame(link, unknownPage))
        links.push({ page, link });
    }
  }
  return { links, notRead };
}

/** Row keys of pages that may link to the URL. */
async function candidates({ pool, crawl, key, from }: UnknownPage): Promise<Iterable<string>> {
  if (from !== undefined) return [from];
  const near = await storedKeys(pool, crawl, { host: hostKeyOf(key), max: SAMPLED });
  return new Set([...near, ...(await storedKeys(pool, crawl, { max: SAMPLED }))]);
}

/** Null: the content is damaged, or too large. */
async function judgedLinks(parser: PageParser, page: StoredPage): Promise<readonly JudgedLink[] | null> {
  const isKept = page.content !== null && page.content.length > 0;
  const content = isKept ? await decompress(page.content!, MAX_BYTES).catch(() => null) : Buffer.alloc(0);
  if (content === null) return null;
  const url = page.baseUrl ?? unreverseUrl(page.key);
  const { contentType, robotsTag } = page;
  return (await parser.explain(content, { url, contentType, truncated: page.truncated !== null, robotsTag })).links;
}

/** Whether a link leads to the URL: as written, or as the rules would write it. */
function isSame({ url, keptAs }: JudgedLink, { url: target, rules }: UnknownPage): boolean {
  const plain = url.split('#', 1)[0];
  return keptAs === target || plain === target || rules.normalize(url, 'outlink') === target;
}

const notReadReason = (url: string): Reason =>
  noted('PAGE_NOT_READ', `${url} was not searched for links: its stored content is damaged, or too large.`, { url });

function dropReason({ conf, rules }: UnknownPage, source: StoredPage, { dropped, url }: JudgedLink): Reason {
  const page = unreverseUrl(source.key);
  if (dropped === null) {
    if (!followsLinksOf(source, conf)) return notFollowed(source, conf);
    const property = 'db.update.additions.allowed';
    const message = conf[property]
      ? `${page} links to it and the link is kept: UPDATEDB of that batch adds it.`
      : `${page} links to it, and ${property} is false: links add no new URLs.`;
    return noted('LINK_KEPT', message, { url: page, ...(!conf[property] && { property }) });
  }
  if (dropped === 'nofollow') {
    return blocked('NOFOLLOW', `${page} links to it and asks not to follow the link (rel=nofollow or meta robots).`, {
      url: page,
    });
  }
  if (dropped === 'external') {
    const property = 'db.ignore.external.links';
    return blocked(
      'EXTERNAL',
      `${page} links to it, and ${property} (${conf['db.ignore.external.links.mode']}) drops links to other hosts or domains.`,
      { property, url: page },
    );
  }
  if (dropped === 'filtered') return filteredReason(rules, page, url);
  const property = propertyOf[dropped];
  const named = property === undefined ? '' : ` (${property})`;
  return blocked(
    'LINK_DROPPED',
    `${page} links to it as ${maskedUserInfo(url, MASK)}, and the link was dropped: ${dropped}${named}.`,
    {
      url: page,
      ...(property !== undefined && { property }),
    },
  );
}

/** Whether UPDATEDB adds the links of the page to the crawl: scoring filters may decide that it does not. */
function followsLinksOf({ key, distance, metadata }: StoredPage, conf: Conf): boolean {
  const page = { url: unreverseUrl(key), spend: 0, outlinks: 1, links: 1, distance, contentScore: 0, headers: {} };
  return makeScoring(conf).distribute({ ...page, metadata: metadata ?? {} }, keepingAll(0)).follow;
}

function notFollowed({ key, distance }: StoredPage, conf: Conf): Reason {
  const property = 'scoring.depth.max';
  const isDepth = activePlugins(conf).active.has(depthScoring.id);
  const where = distance === 0 ? 'is a seed' : `is ${distance} links from a seed`;
  const page = unreverseUrl(key);
  const message = `${page} links to it, and links of that page are not followed, as it ${where}${isDepth ? ` (${property})` : ''}.`;
  return blocked('LINK_DROPPED', message, { url: page, ...(isDepth && { property }) });
}

function filteredReason(rules: UrlRules, page: string, link: string): Reason {
  const admission = rules.admit(link, 'outlink', { normalize: true, filter: true });
  const { words, named } = refusedBy('rejected' in admission ? admission : { rejected: 'filter' });
  const message = `${page} links to it as ${maskedUserInfo(link, MASK)}, and the link was dropped, because ${words}.`;
  return blocked('LINK_DROPPED', message, { url: page, ...named });
}

const propertyOf: Partial<Record<NonNullable<JudgedLink['dropped']>, string>> = {
  limit: 'db.max.outlinks.per.page',
  length: 'db.max.outlink.length',
};

function once(reasons: Reason[]): Reason[] {
  const seen = new Set<string>();
  return reasons.filter(({ message }) => !seen.has(message) && seen.add(message));
}
