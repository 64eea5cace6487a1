/**
 * The proxy between us and the web (`http.proxy.*`), and what the egress guard can still promise behind it.
 *
 * A name is resolved and judged here as without a proxy. A tunnel (CONNECT for https, SOCKS 5 for both) is then asked for to
 * one of those very addresses, so the proxy resolves nothing and cannot be led elsewhere by a name server that changes its
 * mind. Plain http over an HTTP proxy is forwarded by name (RFC 9112 §3.2.2): there the proxy resolves once more, and only its
 * own rules can keep it from inner addresses. The proxy itself is named by an admin: it may stand on an inner address, though
 * not on the ports of this server and its database. It gets its credentials and nobody else does.
 */
import { basicCredentials, challengesOf } from './auth-challenge.js';
import type { EgressGuard } from './egress-guard.js';

export interface ProxySettings {
  readonly type: 'http' | 'socks';
  readonly host: string;
  readonly port: number;
  /** Empty: the proxy asks for none. */
  readonly username: string;
  readonly password: string;
  /** `http.proxy.realm`: credentials only for a challenge of this realm; empty: at once. */
  readonly realm: string;
  /** `http.proxy.exception.list`: hosts reached without it; `.example.org` stands for all below it. */
  readonly exceptions: readonly string[];
  /** Which addresses the proxy may stand on. */
  readonly guard: EgressGuard;
}

/** The proxy did not do what it was asked; says why, and names no address. `aboutHost`: it is there, and speaks of the host. */
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
  #asked = false;

  constructor(readonly settings: ProxySettings) {}

  /** Whether this host is reached through the proxy. */
  serves(hostname: string): boolean {
    const name = bare(hostname.toLowerCase().replace(/\.$/, ''));
    return !this.settings.exceptions.some((exception) => {
      const listed = bare(exception.toLowerCase().replace(/^\*\./, '.'));
      return listed.startsWith('.') ? name.endsWith(listed) : name === listed;
    });
  }

  /** Whether a request goes to the proxy as it is, with the whole URL as its target. */
  forwards(url: { protocol: string; hostname: string }): boolean {
    return this.settings.type === 'http' && url.protocol === 'http:' && this.serves(url.hostname);
  }

  /** The value of Proxy-Authorization, null when none is to be sent (yet). */
  get authorization(): string | null {
    const { username, password, realm } = this.settings;
    return username === '' || (realm !== '' && !this.#asked) ? null : basicCredentials(username, password);
  }

  /**
   * A 407 came.
   * @param header its Proxy-Authenticate
   * @param sent whether the request had credentials
   * @returns true when it is worth another try with credentials
   */
  challenged(header: string, sent: boolean): boolean {
    const { username, realm } = this.settings;
    if (username === '' || sent) return false;
    this.#asked ||= challengesOf(header).some((one) => one.scheme === 'basic' && one.params['realm'] === realm);
    return this.#asked;
  }
}

/** A host without the brackets of an IPv6 address: URLs write them, sockets do not. */
const bare = (host: string): string => host.replace(/^\[|\]$/g, '');
