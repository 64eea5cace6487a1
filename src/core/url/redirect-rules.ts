/** Redirects: whether a page may redirect to a URL, and when the redirect is followed. */
import type { Admission, UrlRules } from './url-rules.js';
import type { Conf } from '../conf/properties.js';
import { PROTOCOL_STATUS } from '../page/protocol-status.js';
import { resolveUrl } from './resolve.js';
import { mayLead } from './external-links.js';
import { urlWithoutUserInfo } from './url-credentials.js';

export interface RedirectRules {
  readonly conf: Conf;
  readonly rules: UrlRules;
}

/** Whether a protocol code means that the page is elsewhere. */
export const isMoved = (protocolCode: number): boolean =>
  protocolCode === PROTOCOL_STATUS.MOVED || protocolCode === PROTOCOL_STATUS.TEMP_MOVED;

/**
 * The target of a redirect, without user info: not usable (`target` null), or a URL that may join the crawl (`key`), or one that
 * may not, for a named reason: `rules` (see `admission`), `self`, or `external`. A redirect to a file of this machine is not
 * usable: only files redirect to files.
 */
export interface RedirectVerdict {
  target: string | null;
  key: string | null;
  refused: 'location' | 'rules' | 'self' | 'external' | null;
  admission?: Admission;
}

/** Judges the Location of an answer. `from` is the URL that was requested, `key` its row key. */
export function judgeRedirect(
  from: { url: string; key: string },
  location: string | undefined,
  { conf, rules }: RedirectRules,
): RedirectVerdict {
  const usable = location && location.length <= conf['http.redirect.location.max'];
  const resolved = usable ? resolveUrl(location, from.url) : null;
  if (resolved === null || (isFile(resolved) && !isFile(from.url))) {
    return { target: null, key: null, refused: 'location' };
  }
  const target = urlWithoutUserInfo(resolved);
  const admission = rules.admit(resolved, 'fetcher', { normalize: true, filter: true });
  if ('rejected' in admission) return { target, key: null, refused: 'rules', admission };
  if (admission.key === from.key) return { target, key: null, refused: 'self', admission };
  if (!mayRedirect(from.url, admission.url, { conf, rules }))
    return { target, key: null, refused: 'external', admission };
  return { target, key: admission.key, refused: null, admission };
}

const isFile = (url: string): boolean => url.startsWith('file:');

/**
 * When a redirect is followed after `hops` others: in this run (`http.redirect.max`), in a later round, or never
 * (`http.redirect.max.exceeded.skip`).
 */
export function redirectTime(hops: number, conf: Conf): 'now' | 'later' | 'never' {
  if (hops < conf['http.redirect.max']) return 'now';
  return hops > 0 && conf['http.redirect.max.exceeded.skip'] ? 'never' : 'later';
}

export const redirectKind = (protocolCode: number): 'temporary' | 'permanent' =>
  protocolCode === PROTOCOL_STATUS.TEMP_MOVED ? 'temporary' : 'permanent';

/**
 * Whether a redirect may lead to its target: `db.ignore.external.links` applies to redirects too
 * (`db.ignore.also.redirects`), and so do the exemptions from it.
 */
const mayRedirect = (from: string, to: string, rules: RedirectRules): boolean =>
  !rules.conf['db.ignore.also.redirects'] || mayLead(from, to, rules);
