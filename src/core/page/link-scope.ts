import { domainOf } from '../url/domain.js';

/** Host or domain whose pages are internal to each other, by `db.ignore.external.links.mode`. */
export const linkScope = (host: string, mode: string): string => (mode === 'byDomain' ? domainOf(host) : host);
