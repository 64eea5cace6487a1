import { isIP } from 'node:net';
import type { Conf } from '../../core/conf/properties.js';
import { guardOf } from '../../plugin/egress-guards.js';
import { connectedHost, portOf } from '../../core/address/egress-guard.js';
import { webhookUrlRefused } from './webhook.problems.js';

const MAX_LENGTH = 2_000;
/** The URL parser would add slashes that are missing and remove others, and so find a host where none was meant. */
const BEGINNING = /^https?:\/\/[^/\\\s]/i;
/** An address of no host (RFC 5737). */
const DOCUMENTATION_ADDRESS = '192.0.2.1';

/**
 * The URL of a webhook in its stored form. All that can be checked without DNS is checked here, with a clear message; the
 * egress guard checks the address again when it connects. Throws WEBHOOK_URL_REFUSED.
 * @param apiPort the port of this API, which no webhook reaches
 */
export function webhookUrl(text: string, conf: Conf, apiPort: number): string {
  const url = text.length <= MAX_LENGTH ? URL.parse(text) : null;
  if (url === null) throw webhookUrlRefused(`must be an absolute URL of at most ${MAX_LENGTH} characters`, text);
  if (!BEGINNING.test(text)) throw webhookUrlRefused('must begin with http:// or https:// and a host', text);
  if (url.username !== '' || url.password !== '')
    throw webhookUrlRefused('must not have a name or password; check the signature instead', text);
  url.hash = '';
  const rule = addressRefusal(url, conf, apiPort);
  if (rule === 'own-port') throw webhookUrlRefused('leads to this server itself', text);
  if (rule === 'port')
    throw webhookUrlRefused('has a port that is never connected to (http.filter.ports.exclude)', text);
  if (rule !== null)
    throw webhookUrlRefused('leads to an inner address (http.filter.ipaddress of configuration default)', text);
  return url.href;
}

/** The rule against a literal address in the URL, or null. `localhost` counts as 127.0.0.1 (RFC 6761, 6.3). */
function addressRefusal(url: URL, conf: Conf, apiPort: number): string | null {
  const host = connectedHost(url).replace(/\.$/, '');
  const address = /(?:^|\.)localhost$/.test(host) ? '127.0.0.1' : host;
  const port = portOf(url);
  return isIP(address) > 0 ? (guardOf(conf, [apiPort]).check(address, port)?.rule ?? null) : portRefusal(conf, port);
}

/** The rule against a port, whatever the name resolves to: rules for addresses are not checked, so any address may be used. */
function portRefusal(conf: Conf, port: number): string | null {
  const portsOnly = { ...conf, 'http.filter.ipaddress.exclude': [], 'http.filter.ipaddress.include': [] };
  return guardOf(portsOnly, []).check(DOCUMENTATION_ADDRESS, port)?.rule ?? null;
}
