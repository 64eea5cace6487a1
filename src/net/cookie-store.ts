/**
 * Cookies of one client, that is of one task of a crawl (`http.cookies` = task). They are kept in memory as long as the client,
 * never stored, so that no crawl or configuration sees the cookies of another. RFC 6265 by tough-cookie, with the public
 * suffix list: a cookie for `co.uk` or `github.io` is refused. Each domain has a small jar of its own, so a host that sets many
 * cookies affects only its own domain; a limit applies to all jars together.
 */
import { CookieJar } from 'tough-cookie';
import { domainOf } from '../core/url/domain.js';
import { isFieldText } from '../core/http/rule-fields.js';

/** RFC 6265 §6.1 asks for at least 50 cookies per domain of 4096 bytes each; here that is also the maximum. */
const MAX_PER_DOMAIN = 50;
const MAX_COOKIE_LENGTH = 4096;
/** Set-Cookie fields read from one answer. */
const MAX_PER_RESPONSE = 50;
/** Bytes of all jars; the least recently used domain is evicted. */
const MAX_BYTES = 16 * 1024 * 1024;
export const MAX_SET_COOKIE_LENGTH = 8192;
/** Overhead of a jar beside its cookies, and of a cookie beside its text, in which servers may write any attributes. */
const JAR_BYTES = 1024;
const COOKIE_BYTES = 512;

interface DomainJar {
  readonly jar: CookieJar;
  bytes: number;
}

export class CookieStore {
  readonly #jars = new Map<string, DomainJar>();
  #bytes = 0;
  /** Settles when all answers so far are stored. */
  #stored: Promise<void> = Promise.resolve();

  /** Size of all cookies together (for tests). */
  get bytes(): number {
    return this.#bytes;
  }

  /**
   * Stores the cookies of an answer, after those of earlier ones: two answers of a new domain would make two jars.
   * @param setCookie the Set-Cookie fields, joined by LF
   */
  keep(url: URL, setCookie: string): Promise<void> {
    const stored = this.#stored.then(() => this.#store(url, setCookie));
    this.#stored = stored.catch(() => undefined);
    return stored;
  }

  async #store(url: URL, setCookie: string): Promise<void> {
    const domain = domainOf(url.hostname);
    const kept = this.#jars.get(domain) ?? { jar: new CookieJar(), bytes: 0 };
    for (const cookie of setCookie.split('\n', MAX_PER_RESPONSE)) {
      if (cookie.length > MAX_COOKIE_LENGTH || !isFieldText(cookie)) continue;
      await kept.jar.setCookie(cookie, url.href, { ignoreError: true }).catch(() => undefined);
    }
    await this.#trim(domain, kept);
  }

  /** The value of Cookie for a request, '' if there is none. */
  async cookiesFor(url: URL): Promise<string> {
    const domain = domainOf(url.hostname);
    const kept = this.#jars.get(domain);
    if (kept === undefined) return '';
    this.#jars.delete(domain);
    this.#jars.set(domain, kept);
    const field = await kept.jar.getCookieString(url.href).catch(() => '');
    return field.length > MAX_SET_COOKIE_LENGTH ? field.slice(0, field.lastIndexOf(';', MAX_SET_COOKIE_LENGTH)) : field;
  }

  /** Enforces the number of cookies of a domain and the bytes of all jars. */
  async #trim(domain: string, kept: DomainJar): Promise<void> {
    const all = await kept.jar.store.getAllCookies();
    const oldest = all.toSorted((a, b) => (a.creationIndex ?? 0) - (b.creationIndex ?? 0));
    const surplus = oldest.splice(0, Math.max(0, all.length - MAX_PER_DOMAIN));
    for (const { domain: cookieDomain, path, key } of surplus)
      await kept.jar.store.removeCookie(cookieDomain, path, key);
    const bytes = JAR_BYTES + oldest.reduce((sum, cookie) => sum + cookie.toString().length + COOKIE_BYTES, 0);
    this.#bytes += bytes - kept.bytes;
    kept.bytes = bytes;
    this.#jars.delete(domain);
    if (all.length > 0) this.#jars.set(domain, kept);
    else this.#bytes -= bytes;
    for (const [name, jar] of this.#jars) {
      if (this.#bytes <= MAX_BYTES) break;
      this.#jars.delete(name);
      this.#bytes -= jar.bytes;
    }
  }
}
