/**
 * Headers that a client adds to each request: cookies (`http.cookies`, and those of `http.agent.host.cookie.rules`), credentials
 * (`http.auth.rules`), and one of several agent names (`http.agent.rotate`). They are selected for every URL by its host: the
 * request after a redirect inherits nothing.
 */
import type { AuthRule } from '../core/http/auth-rules.js';
import { CookieStore, MAX_SET_COOKIE_LENGTH } from './cookie-store.js';
import { HostAuth } from './host-auth.js';
import type { HttpAnswer } from './http-answer.js';
import { isFieldText, ruleLines } from '../core/http/rule-fields.js';

export interface SessionRules {
  /** `http.cookies`: cookies that servers set are kept and sent back. */
  readonly keepCookies: boolean;
  /** Cookies per host, as `cookieRules` reads them. */
  readonly cookies: ReadonlyMap<string, string>;
  readonly auth: readonly AuthRule[];
  /** `http.agent.rotate`: User-Agent values, one of which is selected at random; none: the request's own. */
  readonly agents: readonly string[];
}

export type Headers = Readonly<Record<string, string>>;

/** Cookies per host: `host TAB cookie` (Nutch `http.agent.host.cookie.file`); the last line of a host wins. @throws RuleError */
export function cookieRules(text: string): Map<string, string> {
  return new Map(
    ruleLines(text).map(({ fields, refuse }) => {
      const [name = '', cookie = ''] = fields;
      const host = /^[^\s/?#@:]+$/.test(name) ? (URL.parse(`http://${name}/`)?.hostname ?? '') : '';
      if (host === '') refuse('the first field must be a host name without scheme, port or path', 1);
      if (fields.length !== 2 || cookie === '') refuse('a rule has two fields separated by a tab: host and cookie');
      if (!isFieldText(cookie) || cookie.length > MAX_SET_COOKIE_LENGTH)
        refuse('the cookie must be text for a header field');
      return [host, cookie] as const;
    }),
  );
}

/** User-Agent values, one per line (Nutch `http.agent.rotate.file`). @throws RuleError */
export function agentNames(text: string): string[] {
  return ruleLines(text).map(({ fields, refuse }) => {
    const [name = ''] = fields;
    // A line with a tab is from another file, such as one of credentials.
    const isName = fields.length === 1 && /^[\x20-\x7e]{1,1000}$/.test(name);
    return isName ? name : refuse('a name must be 1 to 1000 printable ASCII characters', 1);
  });
}

export class HttpSession {
  readonly #jar: CookieStore | null;
  readonly #auth: HostAuth | null;

  constructor(private readonly rules: SessionRules) {
    this.#jar = rules.keepCookies ? new CookieStore() : null;
    this.#auth = rules.auth.length > 0 ? new HostAuth(rules.auth) : null;
  }

  async headersFor(url: URL, headers: Headers): Promise<Headers> {
    const added: Record<string, string> = { ...headers };
    const { agents, cookies } = this.rules;
    const agent = agents[Math.floor(Math.random() * agents.length)];
    if (agent !== undefined) added['user-agent'] = agent;
    const jar = this.#jar === null ? '' : await this.#jar.cookiesFor(url);
    const cookie = [cookies.get(url.hostname) ?? '', jar].filter((part) => part !== '').join('; ');
    if (cookie !== '') added['cookie'] = cookie;
    const credentials = this.#auth?.credentialsFor(url) ?? null;
    if (credentials !== null) added['authorization'] = credentials;
    return added;
  }

  /**
   * Stores the cookies and the challenge of an answer.
   * @param sent the headers of the request
   * @returns true if the request may be sent once more, as its credentials are known now
   */
  async learn(url: URL, sent: Headers, answer: HttpAnswer): Promise<boolean> {
    if (!answer.ok) return false;
    const { status, headers } = answer;
    if (this.#jar !== null && headers['set-cookie'] !== undefined) await this.#jar.keep(url, headers['set-cookie']);
    if (this.#auth === null) return false;
    const credentials = sent['authorization'] ?? null;
    if (status === 401) return this.#auth.challenged(url, headers['www-authenticate'] ?? '', credentials);
    this.#auth.accepted(url, credentials);
    return false;
  }
}
