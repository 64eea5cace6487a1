import { isIP } from 'node:net';
import type { Conf } from '../../conf/properties.js';
import { guardOf } from '../../plugin/http-protocol.js';
import { portOf } from '../../net/egress-guard.js';
import { webhookUrlRefused } from './webhook.problems.js';

const MAX_LENGTH = 2_000;

/**
 * The URL of a webhook as it is kept. What can be judged without a name server is judged here, in words; what counts is
 * the address of the socket when something is sent. Throws WEBHOOK_URL_REFUSED.
 */
export function webhookUrl(given: string, conf: Conf): string {
  const url = given.length <= MAX_LENGTH ? URL.parse(given) : null;
  if (url === null) throw webhookUrlRefused(`must be an absolute URL of at most ${MAX_LENGTH} characters`, given);
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw webhookUrlRefused('must begin with http: or https:', given);
  if (url.username !== '' || url.password !== '')
    throw webhookUrlRefused('must not have a name or password; check the signature instead', given);
  url.hash = '';
  const rule = refusalOf(url, conf);
  if (rule === 'port')
    throw webhookUrlRefused('has a port that is never connected to (http.filter.ports.exclude)', given);
  if (rule !== null)
    throw webhookUrlRefused('leads to an inner address (http.filter.ipaddress of configuration default)', given);
  return url.href;
}

/** The rule against an address that stands in the URL itself, or null. `localhost` stands for one (RFC 6761, 6.3). */
function refusalOf(url: URL, conf: Conf): string | null {
  const host = url.hostname.replace(/^\[|\]$/g, '').replace(/\.$/, '');
  const address = /(?:^|\.)localhost$/.test(host) ? '127.0.0.1' : host;
  const port = portOf(url);
  if (isIP(address) > 0) return guardOf(conf, []).check(address, port)?.rule ?? null;
  // A name: only its port can be judged, as if it led to a public address.
  return (
    guardOf({ ...conf, 'http.filter.ipaddress.exclude': [], 'http.filter.ipaddress.include': [] }, []).check(
      '192.0.2.1',
      port,
    )?.rule ?? null
  );
}
