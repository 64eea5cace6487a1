/**
 * The proxy between us and the web (`http.proxy.*`), and how far the egress guard applies behind it.
 *
 * A name is resolved and checked here as without a proxy. A tunnel (CONNECT for https, SOCKS 5 for both) is then requested to
 * one of the checked addresses, so the proxy does not resolve the name, and DNS rebinding is not possible. Plain http over an
 * HTTP proxy is forwarded by name (RFC 9112 §3.2.2): there the proxy resolves again, and only its own rules can keep it from
 * internal addresses. The proxy is configured by an administrator: it may have an internal address, though not the ports of
 * this server and its database. Its credentials are sent to it only.
 */
import { basicCredentials, challengesOf } from './auth-challenge.js';
import type { EgressGuard } from '../address/egress-guard.js';
import { hostForRules } from '../url/idn.js';
import { withoutBrackets } from '../url/ip-host.js';

export interface ProxySettings {
  readonly type: 'http' | 'socks';
  readonly host: string;
  readonly port: number;
  /** Empty: the proxy asks for none. */
  readonly username: string;
  readonly password: string;
  /** `http.proxy.realm`: credentials are sent only after a challenge of this realm; empty: with the first request. */
  readonly realm: string;
  /** `http.proxy.exception.list`: hosts reached without it; `.example.org` matches all its subdomains. */
  readonly exceptions: readonly string[];
  /** Allowed addresses of the proxy itself. */
  readonly guard: EgressGuard;
}

/** The proxy failed or refused; the message names no address. `aboutHost`: the proxy works, and reports a failure of the host. */
export class ProxyRefused extends Error {
  constructor(
    why: string,
    readonly aboutHost = false,
  ) {
    super(`the proxy ${why}`);
    this.name = 'ProxyRefused';
  }
}

export class Proxy {
  #wantsCredentials = false;

  constructor(readonly settings: ProxySettings) {}

  /** Whether this host is reached through the proxy. */
  serves(hostname: string): boolean {
    const name = withoutBrackets(hostForRules(hostname.replace(/\.$/, '')));
    return !this.settings.exceptions.some((exception) => {
      const [, dot, host = ''] = /^(?:\*?(\.))?(.*)$/.exec(withoutBrackets(exception)) ?? [];
      const listed = hostForRules(host);
      return dot === undefined ? name === listed : name.endsWith(`.${listed}`);
    });
  }

  /** Whether a request is forwarded by the proxy, with the whole URL as its target. */
  forwards(url: { protocol: string; hostname: string }): boolean {
    return this.settings.type === 'http' && url.protocol === 'http:' && this.serves(url.hostname);
  }

  /** The value of Proxy-Authorization, null if none is to be sent (yet). */
  get authorization(): string | null {
    const { username, password, realm } = this.settings;
    return username === '' || (realm !== '' && !this.#wantsCredentials) ? null : basicCredentials(username, password);
  }

  /**
   * Handles a 407.
   * @param header its Proxy-Authenticate
   * @param sent whether the request had credentials
   * @returns true if another attempt, with credentials, may succeed
   */
  challenged(header: string, sent: boolean): boolean {
    const { username, realm } = this.settings;
    if (username === '' || sent) return false;
    this.#wantsCredentials ||= challengesOf(header).some(
      (challenge) => challenge.scheme === 'basic' && challenge.params['realm'] === realm,
    );
    return this.#wantsCredentials;
  }
}
