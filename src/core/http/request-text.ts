/** A request as text, to be kept with the page (`store.http.request`). */

const SECRET = new Set(['authorization', 'cookie', 'proxy-authorization']);
const MAX_LENGTH = 8192;

/** Request line and headers, separated by CR LF, secrets masked; at most 8192 characters. */
export function requestText(url: URL, headers: Readonly<Record<string, string>>, protocols: string): string {
  const version = protocols.startsWith('h2') ? 'HTTP/2' : 'HTTP/1.1';
  const fields = Object.entries({ host: url.host, ...headers });
  const lines = fields.map(([name, value]) => `${name}: ${SECRET.has(name) ? '********' : value}`);
  return [`GET ${url.pathname}${url.search} ${version}`, ...lines, '', ''].join('\r\n').slice(0, MAX_LENGTH);
}
