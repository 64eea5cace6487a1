/**
 * Credentials per host (`http.auth.rules`), one line each: `host[:port] TAB realm TAB user TAB password`. With a scheme before
 * the host (`https://host`) the credentials are sent over that scheme only. Without a port, any port of the host matches, as in
 * Nutch; no other host receives them. Realm `*` matches a challenge of any realm.
 */
import { ruleLines } from './rule-fields.js';
import { MAX_PORT } from '../address/port-range.js';

export interface AuthRule {
  readonly scheme: 'http' | 'https' | null;
  /** In the form of `URL.hostname`. */
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
    if (fields.length !== 4) refuse('a rule has four fields separated by tabs: host, realm or *, user, password');
    if (realm === '') refuse('the second field must be a realm, or * for any');
    if (user === '' || user.includes(':')) refuse('the third field must be a user name without a colon');
    return { ...authority, realm, user, password };
  });
}

/** Parses `host`, `host:port` or `https://host`; null for other text, or a port outside 1 to 65535. */
export function readAuthority(text: string): Pick<AuthRule, 'scheme' | 'host' | 'port'> | null {
  const [, scheme, name = '', port] = AUTHORITY.exec(text) ?? [];
  const host = URL.parse(`http://${name}/`)?.hostname ?? '';
  if (host === '' || Number(port ?? 1) < 1 || Number(port ?? 1) > MAX_PORT) return null;
  const named = (scheme?.toLowerCase() ?? null) as AuthRule['scheme'];
  return { scheme: named, host, port: port === undefined ? null : Number(port) };
}
