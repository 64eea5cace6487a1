/** Verdicts of a configuration on a URL, independent of the crawl's data: normalizers, filters, form, length. */
import type { UrlRules } from '../../core/url/url-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import { MAX_ROW_KEY_BYTES, fitsRowKey, rowKeyOrNull } from '../../core/url/row-key.js';
import { domainOf } from '../../core/url/domain.js';
import { ALTERNATING_SEGMENTS_RULE, RECURRING_SEGMENTS_RULE } from '../../core/url/repeated-segments.js';
import { byRule } from '../../core/url/linear-regex.js';
import { hostOfUrl, splitUrl } from '../../core/url/url-components.js';
import { speaksHttp } from '../../plugin/http-protocol.js';
import { crawledSchemes, lackingFor, otherSchemes, schemeOf, speaksAny } from '../../plugin/protocols.js';
import { type UrlStep, explainUrl } from '../../core/url/explain-url.js';
import { type Reason, blocked, decidedBy, noted } from './reason.js';

/** A URL after the rules were applied. */
export interface JudgedUrl {
  given: string;
  /** The normalized URL; null when a normalizer drops it. */
  normalized: string | null;
  /** Row key; null for text without one. */
  key: string | null;
  host: string | null;
  domain: string | null;
  /** The filters' verdict on the normalized URL. */
  accepted: boolean;
  steps: UrlStep[];
  decidedBy: UrlStep | null;
  /** The URL as it would be stored; null when it may not be. */
  stored: { url: string; key: string } | null;
  reasons: Reason[];
}

/** Applies the rules of a scope to a URL. */
export function judgeUrl(rules: UrlRules, given: string, { scope, conf }: { scope: string; conf: Conf }): JudgedUrl {
  const steps = explainUrl(rules, given, scope);
  const normalized = rules.normalize(given, scope);
  const last = steps.at(-1);
  const decidedBy = last !== undefined && last.after === null ? last : null;
  const admission = rules.admit(given, scope, { normalize: true, filter: false });
  const stored = 'rejected' in admission ? null : admission;
  const key = stored?.key ?? (normalized === null ? null : rowKeyOrNull(normalized));
  const host = normalized === null ? null : hostOfUrl(normalized) || null;
  const judged = {
    given,
    normalized,
    key,
    host,
    domain: host === null ? null : domainOf(host),
    accepted: normalized !== null && decidedBy === null,
    steps,
    decidedBy,
    stored,
  };
  return {
    ...judged,
    reasons: [
      ...formReasons(judged, rules, conf),
      ...filterReasons(judged),
      ...lengthReasons(judged, conf),
      ...exemptReasons(judged, rules, conf),
    ],
  };
}

function formReasons(
  { given, normalized, key, stored }: Omit<JudgedUrl, 'reasons'>,
  { schemes }: UrlRules,
  conf: Conf,
): Reason[] {
  if (stored !== null) {
    if (stored.url === given) return [];
    return [
      noted('NORMALIZED', `The normalizers rewrite it to ${stored.url}: that is the page to look up.`, {
        url: stored.url,
      }),
    ];
  }
  const scheme = normalized === null ? undefined : splitUrl(normalized)?.scheme.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https' && !schemes.has(scheme)) {
    const lacking = lackingFor(scheme, conf);
    const why = `Its scheme is ${scheme}: only ${crawledSchemes(schemes)} are crawled`;
    return [blocked('SCHEME', lacking === null ? `${why}.` : `${why}; ${lacking}.`)];
  }
  if (key !== null && !fitsRowKey(key)) {
    const bytes = Buffer.byteLength(key);
    return [blocked('KEY_TOO_LONG', `Its row key has ${bytes} bytes: at most ${MAX_ROW_KEY_BYTES} can be stored.`)];
  }
  return [blocked('MALFORMED', 'It is not a URL with a host and a path that every parser interprets alike.')];
}

const trapRules = [ALTERNATING_SEGMENTS_RULE, RECURRING_SEGMENTS_RULE].map((rule) => `-${rule}`);

function filterReasons({ decidedBy }: Omit<JudgedUrl, 'reasons'>): Reason[] {
  if (decidedBy === null) return [];
  const { plugin, kind } = decidedBy;
  const rule = decidedBy.rules.at(-1);
  if (rule === undefined) {
    const why = kind === 'filter' ? 'none of its rules accepts the URL' : 'it cannot be parsed as a URL';
    return [blocked('FILTERED', `${plugin} refuses it: ${why}.`, { plugin })];
  }
  if (plugin === 'urlfilter-trap') {
    return [blocked('TRAP', `${plugin} refuses it, as in a trap: ${rule.text}.`, { plugin, rule })];
  }
  const isTrap = trapRules.includes(rule.text);
  const message = isTrap
    ? `${plugin} refuses it by rule ${rule.number}, ${rule.text}: segments of its path repeat, as in a trap.`
    : `${plugin} refuses it${byRule(rule)}.`;
  return [blocked(isTrap ? 'TRAP' : 'FILTERED', message, { plugin, rule })];
}

function lengthReasons({ stored, given }: Omit<JudgedUrl, 'reasons'>, conf: Conf): Reason[] {
  const property = 'db.max.outlink.length';
  const longest = Math.max(given.length, stored?.url.length ?? 0);
  if (longest <= conf[property]) return [];
  const message = `It has ${longest} characters: links of more than ${conf[property]} (${property}) are dropped, so it can only be added as a seed.`;
  return [noted('URL_TOO_LONG', message, { property })];
}

/** Exemptions are checked for the URL of a link as found, whatever page contains it. */
function exemptReasons({ stored, given }: Omit<JudgedUrl, 'reasons'>, rules: UrlRules, conf: Conf): Reason[] {
  const property = 'db.ignore.external.links';
  if (!conf[property] || stored === null) return [];
  const { accepted, plugin, rule } = rules.exempt('', given);
  if (!accepted || plugin === null) return [];
  const message = `Links to it may leave their host or domain in spite of ${property}: ${plugin} exempts them${byRule(rule)}.`;
  return [noted('EXEMPT', message, { property, ...decidedBy({ plugin, rule }) })];
}

/** The reason for which FETCH requests no URL of http or https, if only other protocols are active. */
export function unspokenReasons(url: string, conf: Conf): Reason[] {
  const scheme = schemeOf(url);
  const others = [...otherSchemes(conf)];
  if (speaksHttp(conf) || others.length === 0 || (scheme !== 'http' && scheme !== 'https')) return [];
  const property = 'plugin.includes';
  const fetched = `${others.join(' and ')} ${others.length === 1 ? 'is' : 'are'} fetched`;
  const message = `Its scheme is ${scheme}: only ${fetched}; ${property} does not name protocol-http.`;
  return [blocked('SCHEME', message, { property })];
}

/** Reasons for which no URL can be fetched with this configuration. */
export function confReasons(conf: Conf): Reason[] {
  const name = 'http.agent.name';
  const plugins = 'plugin.includes';
  return [
    ...(conf[name].trim() === ''
      ? [blocked('AGENT_NAME', `${name} is not set: FETCH fails without it.`, { property: name })]
      : []),
    ...(speaksAny(conf)
      ? []
      : [blocked('PROTOCOL_PLUGIN', `${plugins} does not name protocol-http: FETCH fails.`, { property: plugins })]),
  ];
}
