/**
 * Checks which seeds of a crawl can be crawled at all, with the rules that INJECT and FETCH will apply: the URL rules in scope
 * `inject`, and the egress guard for hosts that are addresses.
 */
import { ruleName } from '../../core/url/linear-regex.js';
import type { Admission, UrlRules } from '../../core/url/url-rules.js';
import { setImmediate as nextIteration } from 'node:timers/promises';
import type { Conf } from '../../core/conf/properties.js';
import { BLANK_FOR_TAB, hasBlankForTab, parseSeedLine, seedLineDoubt, whyNoUrl } from '../../core/page/seed-line.js';
import { MAX_ROW_KEY_BYTES } from '../../core/url/row-key.js';
import { USER_INFO_LEFT_OUT, withoutUserInfo } from '../../core/url/url-credentials.js';
import { guardFor } from '../../plugin/egress-guards.js';
import { crawledSchemes, lackingFor, schemeOf } from '../../plugin/protocols.js';
import { type EgressGuard, connectedHost, portOf } from '../../core/address/egress-guard.js';
import { makeUrlRules } from '../../plugin/url-rules.js';
import { type FieldError, shown } from '../problem.js';

const MAX_LINE_LENGTH = 16_384;
/** Seeds that are checked, in some 10 ms, before the event loop runs other requests. */
const AT_ONCE = 1_000;

export interface JudgedSeeds {
  /** Lines that may be stored; INJECT reads them again and counts what it refuses. */
  lines: string[];
  /** How many of them are URLs that can be crawled. */
  accepted: number;
  /** The others, with the reason. */
  refused: FieldError[];
  /** Accepted ones that had user info, or whose URL is probably not the one that was meant. */
  doubtful: FieldError[];
}

/** @param nameOf the name of a seed in messages, by its position from 0 */
export async function judgeSeeds(
  seeds: readonly unknown[],
  conf: Conf,
  nameOf: (at: number) => string,
): Promise<JudgedSeeds> {
  const rules = makeUrlRules(conf);
  const guards = new Map<string, EgressGuard>();
  const guardOf = (url: string): EgressGuard => {
    const scheme = schemeOf(url);
    const guard = guards.get(scheme) ?? guardFor(scheme, conf, []);
    guards.set(scheme, guard);
    return guard;
  };
  const judged: JudgedSeeds = { lines: [], accepted: 0, refused: [], doubtful: [] };
  for (const [at, entry] of seeds.entries()) {
    if (at > 0 && at % AT_ONCE === 0) await nextIteration();
    const seed = isOfLength(entry) ? withoutUserInfo(entry) : entry;
    const why = whyNotLine(seed) ?? whyNot(seed as string, { rules, conf, guardOf });
    const fault = (message: string): FieldError => ({
      field: nameOf(at),
      message: `${nameOf(at)} ${message} (given: ${shown(seed)})`,
    });
    if (why === undefined) {
      judged.accepted++;
      const doubt = seed === entry ? seedLineDoubt(parseSeedLine(seed as string)!) : USER_INFO_LEFT_OUT;
      if (doubt !== null) judged.doubtful.push(fault(doubt));
    } else if (why !== null) judged.refused.push(fault(why));
    if (typeof seed === 'string' && whyNotLine(seed) === undefined) judged.lines.push(seed);
  }
  return judged;
}

const isOfLength = (seed: unknown): seed is string => typeof seed === 'string' && seed.length <= MAX_LINE_LENGTH;

function whyNotLine(seed: unknown): string | undefined {
  if (typeof seed !== 'string') return 'must be a text: a URL, optionally followed by TAB key=value';
  if (seed.length > MAX_LINE_LENGTH) return `is longer than ${MAX_LINE_LENGTH} characters`;
  return /[\r\n]/.test(seed.trim()) ? 'is more than one line' : undefined;
}

interface Judges {
  readonly rules: UrlRules;
  readonly conf: Conf;
  /** The guard of a URL. */
  readonly guardOf: (url: string) => EgressGuard;
}

/** Returns why a line cannot be crawled; undefined: it can; null: it contains no URL (blank, or a comment). */
function whyNot(line: string, { rules, conf, guardOf }: Judges): string | null | undefined {
  const seed = parseSeedLine(line);
  if (seed === null) return null;
  const admitted = rules.admit(seed.url, 'inject', { normalize: true, filter: true });
  if ('rejected' in admitted) {
    const words = refusalWords(admitted, seed.url, { rules, conf });
    return hasBlankForTab(seed.url) ? `${BLANK_FOR_TAB}; as written, all of it is the URL, which ${words}` : words;
  }
  const url = new URL(admitted.url);
  if (url.hostname === '') return undefined;
  const refusal = guardOf(admitted.url).check(connectedHost(url), portOf(url));
  if (refusal === null || refusal.rule === 'not-an-address') return undefined;
  return `leads to an address or port that is not fetched (rule ${refusal.rule} of http.filter.ipaddress.exclude, http.filter.ports.exclude)`;
}

/** What keeps the scheme of a URL from being crawled, in words. */
function schemeWords(url: string, { rules: { schemes }, conf }: Pick<Judges, 'rules' | 'conf'>): string {
  const lacking = lackingFor(schemeOf(url), conf);
  const words = `has a scheme that is not crawled: only ${crawledSchemes(schemes)} are`;
  return lacking === null ? words : `${words}; ${lacking}`;
}

function refusalWords(
  admission: Extract<Admission, { rejected: unknown }>,
  url: string,
  judges: Pick<Judges, 'rules' | 'conf'>,
): string {
  const { rejected, plugin, rule } = admission;
  if (rejected === 'scheme') return schemeWords(url, judges);
  if (rejected === 'length') return `is too long: its row key has more than ${MAX_ROW_KEY_BYTES} bytes`;
  if (rejected === 'filter')
    return `is refused by ${plugin ?? 'a filter'}${rule ? `, ${ruleName({ ...rule, text: shown(rule.text) })}` : ''}`;
  return URL.canParse(url) ? 'is no URL with scheme and host, such as https://site.test/' : whyNoUrl(url);
}
