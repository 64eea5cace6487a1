/**
 * The protocols of a configuration: HTTP, and those of active plugins. The scheme of a URL decides which one fetches it; a URL
 * whose scheme none has ends as PROTO_NOT_FOUND.
 */
import type { Conf } from '../core/conf/properties.js';
import { splitUrl } from '../core/url/url-components.js';
import { type HttpAnswer, failure } from '../net/http-answer.js';
import { DEFAULT_FETCH_LIMITS, type FetchLimits, type HttpClient, type HttpRequest } from '../net/http-client.js';
import type { Protocol, ProtocolClient, ProtocolContext } from './extension-points.js';
import { makeHttpClient, speaksHttp } from './http-protocol.js';
import { activePlugins, pluginsFor } from './registry.js';

/** The active protocols besides HTTP. */
function otherProtocols(conf: Conf): Protocol[] {
  const { active } = activePlugins(conf);
  return pluginsFor('makeProtocol').flatMap((plugin) => (active.has(plugin.id) ? [plugin.makeProtocol(conf)] : []));
}

/** The schemes of active protocols besides http and https: their URLs may enter the crawl. */
export const otherSchemes = (conf: Conf): ReadonlySet<string> =>
  new Set(otherProtocols(conf).flatMap(({ schemes }) => schemes));

/** Whether any page can be fetched. */
export const speaksAny = (conf: Conf): boolean => speaksHttp(conf) || otherSchemes(conf).size > 0;

/** What keeps URLs of a scheme from being fetched, in words; null for a scheme that no protocol has. */
export function lackingFor(scheme: string, conf: Conf): string | null {
  const id = `protocol-${scheme}`;
  if (!pluginsFor('makeProtocol').some((plugin) => plugin.id === id)) return null;
  if (!activePlugins(conf).active.has(id)) return `plugin.includes does not name ${id}`;
  return `the properties of ${id} allow none`;
}

/** The schemes that are crawled, in words. */
export const crawledSchemes = (others: ReadonlySet<string>): string =>
  ['http', ...(others.size > 0 ? ['https'] : []), ...[...others].slice(0, -1)].join(', ') +
  ` and ${[...others].at(-1) ?? 'https'}`;

/** How a URL is fetched: robots.txt applies to `http` alone. */
export type ProtocolKind = 'http' | 'other' | 'none';

interface Opened {
  readonly client: ProtocolClient;
  readonly limits: Partial<FetchLimits>;
}

const isHttp = (url: string): boolean => url.startsWith('http://') || url.startsWith('https://');

/** The clients of one task: connections and sessions end with it. */
export class ProtocolClients {
  readonly #http: HttpClient;
  readonly #speaksHttp: boolean;
  readonly #others = new Map<string, Opened>();

  constructor(conf: Conf, context: ProtocolContext) {
    this.#http = makeHttpClient(conf, context.ownPorts, context.resolve);
    this.#speaksHttp = speaksHttp(conf);
    for (const { schemes, limits, open } of otherProtocols(conf)) {
      const client = open(context);
      for (const scheme of schemes) this.#others.set(scheme, { client, limits });
    }
  }

  kindOf(url: string): ProtocolKind {
    if (isHttp(url)) return this.#speaksHttp ? 'http' : 'none';
    return this.#others.has(schemeOf(url)) ? 'other' : 'none';
  }

  /** Fetches with the client of its scheme, within the limits of that protocol. Never rejects. */
  fetch(request: HttpRequest, limits: FetchLimits = DEFAULT_FETCH_LIMITS): Promise<HttpAnswer> {
    if (isHttp(request.url)) return this.#http.fetch(request, limits);
    const opened = this.#others.get(schemeOf(request.url));
    if (opened === undefined) return Promise.resolve(failure('url', 'no active plugin has the protocol of its scheme'));
    return opened.client.fetch(request, { ...limits, ...opened.limits });
  }

  close(): void {
    this.#http.close();
    for (const { client } of this.#others.values()) client.close();
  }
}

export const schemeOf = (url: string): string => splitUrl(url)?.scheme.toLowerCase() ?? '';
