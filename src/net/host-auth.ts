/**
 * Answers the challenges of hosts by the rules of core/http/auth-rules.ts. Realm `*`: Basic is sent with the first request
 * (RFC 7617 §2.2), and a challenge of any realm is answered. For a named realm nothing is sent before its challenge. Basic
 * and Digest are supported, Digest is preferred. Challenges are remembered by the client, that is for one task; a request is
 * not repeated after a server refused the credentials.
 */
import { randomBytes } from 'node:crypto';
import {
  basicCredentials,
  canDigest,
  challengesOf,
  digestCredentials,
  type Challenge,
} from '../core/http/auth-challenge.js';
import { portOf } from '../core/address/egress-guard.js';
import { textOfBytes } from '../core/http/header-fields.js';
import type { AuthRule } from '../core/http/auth-rules.js';

/** Maximum of origins whose challenges are remembered. */
const MAX_ORIGINS = 10_000;

interface Learnt {
  readonly challenge: Challenge;
  readonly rule: AuthRule;
  readonly cnonce: string;
  /** Number of requests that used the nonce. */
  count: number;
  /** Whether a request with Digest credentials got another answer than 401. */
  accepted: boolean;
}

export class HostAuth {
  readonly #byHost: ReadonlyMap<string, AuthRule[]>;
  readonly #learnt = new Map<string, Learnt>();

  constructor(rules: readonly AuthRule[]) {
    this.#byHost = Map.groupBy(rules, (rule) => rule.host);
  }

  /** The value of Authorization for a request, null for none. */
  credentialsFor(url: URL): string | null {
    const rules = this.#rulesOf(url);
    if (rules.length === 0) return null;
    const known = this.#learnt.get(url.origin);
    if (known === undefined) {
      const open = rules.find((rule) => rule.realm === '*');
      return open === undefined ? null : basicCredentials(open.user, open.password);
    }
    const { cnonce, rule } = known;
    const { user, password } = rule;
    if (known.challenge.scheme === 'basic') return basicCredentials(user, password);
    known.count += 1;
    const uri = url.pathname + url.search;
    return digestCredentials(known.challenge, { user, password, uri, count: known.count, cnonce });
  }

  /** Handles any answer but a 401. @param sent the Authorization of the request */
  accepted(url: URL, sent: string | null): void {
    const known = this.#learnt.get(url.origin);
    if (known !== undefined && isDigest(sent)) known.accepted = true;
  }

  /**
   * Handles a 401.
   * @param header its WWW-Authenticate
   * @param sent the Authorization of the request
   * @returns true if the next request may succeed
   */
  challenged(url: URL, header: string, sent: string | null): boolean {
    const answerable = this.#answerable(url, challengesOf(header));
    if (answerable === undefined) return false;
    const { challenge, rule } = answerable;
    const before = this.#learnt.get(url.origin);
    const refused =
      challenge.scheme === 'basic'
        ? sent === basicCredentials(rule.user, rule.password)
        : isSpent(answerable, before, sent);
    if (refused) return false;
    if (this.#learnt.size >= MAX_ORIGINS) this.#learnt.delete(this.#learnt.keys().next().value ?? '');
    const cnonce = randomBytes(12).toString('hex');
    this.#learnt.set(url.origin, { challenge, rule, cnonce, count: 0, accepted: false });
    return true;
  }

  #rulesOf(url: URL): AuthRule[] {
    const { hostname, protocol } = url;
    const actual = portOf(url);
    const fits = (rule: AuthRule) =>
      (rule.port === null || rule.port === actual) && (rule.scheme === null || `${rule.scheme}:` === protocol);
    return this.#byHost.get(hostname)?.filter(fits) ?? [];
  }

  #answerable(url: URL, challenges: readonly Challenge[]): { challenge: Challenge; rule: AuthRule } | undefined {
    const ours = challenges.filter((challenge) => challenge.scheme === 'basic' || canDigest(challenge));
    const byStrength = ours.sort((a, b) => b.scheme.localeCompare(a.scheme));
    for (const challenge of byStrength) {
      const realm = textOfBytes(challenge.params['realm'] ?? '');
      const rules = this.#rulesOf(url);
      const rule =
        rules.find((candidate) => candidate.realm === realm) ?? rules.find((candidate) => candidate.realm === '*');
      if (rule !== undefined) return { challenge, rule };
    }
    return undefined;
  }
}

/**
 * Whether Digest credentials were sent and refused. An expired nonce is not a refusal: `stale`, or without that parameter, which
 * some servers omit, a new nonce after one that was accepted.
 */
function isSpent({ challenge }: { challenge: Challenge }, before: Learnt | undefined, sent: string | null): boolean {
  const { realm, nonce, stale } = challenge.params;
  if (before === undefined || !isDigest(sent) || before.challenge.params['realm'] !== realm) return false;
  const renewed = before.accepted && before.challenge.params['nonce'] !== nonce;
  return stale?.toLowerCase() !== 'true' && !renewed;
}

const isDigest = (sent: string | null): boolean => sent?.startsWith('Digest ') === true;
