/** Describes the decisions of an inspected fetch. */
import type { UrlRules } from '../../core/url/url-rules.js';
import type { Visited } from '../../cycle/fetch/fetch.sql.js';
import type { RedirectVerdict } from '../../core/url/redirect-rules.js';
import { PROTOCOL_STATUS, protocolName } from '../../core/page/protocol-status.js';
import type { HttpAnswer, HttpFailure, Truncation } from '../../net/http-answer.js';
import { schemeOf } from '../../plugin/protocols.js';
import { egressReason } from './egress-reason.js';
import type { FetchRedirect } from './fetch.dto.js';
import { type Reason, blocked, noted, refusedBy } from './reason.js';

/** The verdict of the URL filters: FETCH does not apply them, the steps before it do. */
export function rulesReasons(rules: UrlRules, url: string): Reason[] {
  const verdict = rules.filter(url);
  if (verdict.accepted) return [];
  const { words, named } = refusedBy({ ...verdict, rejected: 'filter' });
  return [noted('FILTERED', `${words}. FETCH applies it only with fetcher.filter.urls.`, named)];
}

/** The result of a request that was not redirected. */
export function answerReasons(url: string, answer: HttpAnswer, { protocolCode }: Visited): Reason[] {
  if (!answer.ok) return [failureReason(url, answer)];
  const reasons: Reason[] = [];
  if (answer.truncated !== false) {
    const property = truncatedBy(url, answer.truncated);
    const named = property === undefined ? {} : { property };
    reasons.push(noted('TRUNCATED', `${answer.body.length} bytes were kept (${answer.truncated}).`, named));
  }
  if (protocolCode === PROTOCOL_STATUS.SUCCESS) return reasons;
  return [blocked('HTTP_STATUS', `${url} answered ${answer.status}: ${protocolName(protocolCode)}.`), ...reasons];
}

function failureReason(url: string, { code, message, rule }: HttpFailure): Reason {
  if (rule !== undefined) {
    const refused = egressReason(rule);
    return blocked(refused.code, `${url}: ${message}.`, refused.named);
  }
  const isOutside = code === 'blocked' && schemeOf(url) === 'file';
  const named = isOutside ? { property: 'file.crawl.roots' } : {};
  return blocked('FETCH_FAILED', `${url}: ${code}, ${message}.`, named);
}

/** The property that kept only a part of a body; undefined for damaged data. */
function truncatedBy(url: string, truncated: Truncation): string | undefined {
  const scheme = schemeOf(url);
  if (truncated === 'length')
    return scheme === 'ftp' || scheme === 'file' ? `${scheme}.content.limit` : 'http.content.limit';
  return truncated === 'time' ? 'http.time.limit' : undefined;
}

export function redirectReasons(url: string, verdict: RedirectVerdict, decision: FetchRedirect['decision']): Reason[] {
  const { target } = verdict;
  const property = 'http.redirect.max';
  if (target === null) return [blocked('REDIRECT_REFUSED', `${url} redirects without a usable Location.`)];
  const leads = `${url} redirects to ${target}`;
  if (decision === 'followed')
    return [noted('REDIRECT', `${leads}: followed immediately (${property}).`, { url: target, property })];
  if (decision === 'later')
    return [
      noted('REDIRECT', `${leads}: it is added to the crawl for a later round (${property}).`, {
        url: target,
        property,
      }),
    ];
  if (decision === 'dropped') {
    const skip = 'http.redirect.max.exceeded.skip';
    return [
      blocked('REDIRECT_REFUSED', `${leads}: dropped, as ${property} redirects were followed (${skip}).`, {
        url: target,
        property: skip,
      }),
    ];
  }
  return [redirectRefusal(leads, target, verdict)];
}

function redirectRefusal(leads: string, target: string, { refused, admission }: RedirectVerdict): Reason {
  if (refused === 'self') return blocked('REDIRECT_REFUSED', `${leads}, which is the same page.`, { url: target });
  if (refused === 'external') {
    const property = 'db.ignore.external.links';
    return blocked('EXTERNAL', `${leads}, and ${property} applies to redirects, too (db.ignore.also.redirects).`, {
      url: target,
      property,
    });
  }
  if (admission === undefined || !('rejected' in admission))
    return blocked('REDIRECT_REFUSED', `${leads}.`, { url: target });
  const { words, named } = refusedBy(admission);
  return blocked('REDIRECT_REFUSED', `${leads}, and ${words}.`, { url: target, ...named });
}
