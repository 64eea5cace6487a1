/**
 * Credentials per host (`http.auth.rules`): a line each, `host[:port] TAB realm TAB user TAB password`. The host may have a
 * scheme before it (`https://host`): then the credentials go over that scheme alone. Without a port any port of the host
 * counts, as in Nutch; no other host ever gets them. Realm `*`: Basic is sent with the first request (RFC 7617 §2.2), and a
 * challenge is answered whatever its realm. A named realm is sent nothing before its challenge came. Basic and Digest are
 * answered, the stronger one first. What was learnt stays with the client, that is one task; a server that refuses the
 * credentials is not asked again.
 */
import { randomBytes } from 'node:crypto';
import { basicCredentials, canDigest, challengesOf, digestCredentials, type Challenge } from './auth-challenge.js';
import { portOf } from './egress-guard.js';
import { textOfBytes } from './header-fields.js';
import { ruleLines } from './rule-lines.js';

export interface AuthRule {
  readonly scheme: 'http' | 'https' | null;
  /** As `URL.hostname` writes it. */
  readonly host: string;
  readonly port: number | null;
  readonly realm: string;
  readonly user: string;
  readonly password: string;
}

const AUTHORITY = /^(?:(https?):\/\/)?(\[[0-9a-f:.]+\]|[^\s:/?#@[\]]+)(?::(\d{1,5}))?\/?$/i;

/** Reads the rules. @throws RuleError */
export function authRules(text: string): AuthRule[] {
  return ruleLines(text).map(({ fields, refuse }) => {
    const [name = '', realm = '', user = '', password = ''] = fields;
    const authority = readAuthority(name) ?? refuse('the first field must be host, host:port or https://host', 1);
    if (fields.length !== 4) refuse('a rule has four fields divided by tabs: host, realm or *, user, password');
    if (realm === '') refuse('the second field must be a realm, or * for any');
    if (user === '' || user.includes(':')) refuse('the third field must be a user name without a colon');
    return { ...authority, realm, user, password };
  });
}

/** Reads `host`, `host:port` or `https://host`; null when it is none of them, or the port is not 1 to 65535. */
export function readAuthority(text: string): Pick<AuthRule, 'scheme' | 'host' | 'port'> | null {
  const [, scheme, name = '', port] = AUTHORITY.exec(text) ?? [];
  const host = URL.parse(`http://${name}/`)?.hostname ?? '';
  if (host === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > 65_535) return null;
  const named = (scheme?.toLowerCase() ?? null) as AuthRule['scheme'];
  return { scheme: named, host, port: port === undefined ? null : Number(port) };
}

/** Origins whose challenges are remembered. */
const MAX_ORIGINS = 10_000;

interface Learnt {
  readonly challenge: Challenge;
  readonly rule: AuthRule;
  readonly cnonce: string;
  /** Requests that used the nonce. */
  count: number;
}

export class HostAuth {
  readonly #byHost: ReadonlyMap<string, AuthRule[]>;
  readonly #learnt = new Map<string, Learnt>();

  constructor(rules: readonly AuthRule[]) {
    this.#byHost = Map.groupBy(rules, (rule) => rule.host);
  }

  /** The value of Authorization for a request, null when none is to be sent. */
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

  /**
   * A 401 came.
   * @param header its WWW-Authenticate
   * @param sent the Authorization that the request had
   * @returns true when the next request may do better
   */
  challenged(url: URL, header: string, sent: string | null): boolean {
    const found = this.#answerable(url, challengesOf(header));
    if (found === undefined) return false;
    const { challenge, rule } = found;
    const before = this.#learnt.get(url.origin);
    const refused =
      challenge.scheme === 'basic' ? sent === basicCredentials(rule.user, rule.password) : isSpent(found, before, sent);
    if (refused) return false;
    if (this.#learnt.size >= MAX_ORIGINS) this.#learnt.delete(this.#learnt.keys().next().value ?? '');
    this.#learnt.set(url.origin, { challenge, rule, cnonce: randomBytes(12).toString('hex'), count: 0 });
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
    const ours = challenges.filter((one) => one.scheme === 'basic' || canDigest(one));
    const byStrength = ours.sort((a, b) => b.scheme.localeCompare(a.scheme));
    for (const challenge of byStrength) {
      const realm = textOfBytes(challenge.params['realm'] ?? '');
      const rules = this.#rulesOf(url);
      const rule = rules.find((one) => one.realm === realm) ?? rules.find((one) => one.realm === '*');
      if (rule !== undefined) return { challenge, rule };
    }
    return undefined;
  }
}

/** Digest credentials were sent and refused; a nonce that only grew old (`stale`) is no refusal. */
function isSpent({ challenge }: { challenge: Challenge }, before: Learnt | undefined, sent: string | null): boolean {
  const tried = sent?.startsWith('Digest ') === true && before?.challenge.params['realm'] === challenge.params['realm'];
  return tried && challenge.params['stale']?.toLowerCase() !== 'true';
}
