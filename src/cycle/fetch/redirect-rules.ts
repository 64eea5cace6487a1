import type { Conf } from '../../conf/properties.js';
import { PROTOCOL_STATUS } from '../../core/page/protocol-status.js';
import { domainOf } from '../../core/url/domain.js';

/** Whether a protocol code says that the page is elsewhere. */
export const isRedirect = (protocolCode: number): boolean =>
  protocolCode === PROTOCOL_STATUS.MOVED || protocolCode === PROTOCOL_STATUS.TEMP_MOVED;

export const redirectKind = (protocolCode: number): 'temporary' | 'permanent' =>
  protocolCode === PROTOCOL_STATUS.TEMP_MOVED ? 'temporary' : 'permanent';

/** Whether a redirect may lead where it leads: `db.ignore.external.links` holds for redirects too (`db.ignore.also.redirects`). */
export function mayRedirect(from: string, to: string, conf: Conf): boolean {
  if (!conf['db.ignore.external.links'] || !conf['db.ignore.also.redirects']) return true;
  const [source, target] = [new URL(from).hostname, new URL(to).hostname];
  return conf['db.ignore.external.links.mode'] === 'byDomain'
    ? domainOf(source) === domainOf(target)
    : source === target;
}
