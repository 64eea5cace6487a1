/** Requests that cannot work whatever the URLs are: nothing is fetched with such a configuration. */
import type { Conf } from '../../core/conf/properties.js';
import { speaksAny } from '../../plugin/protocols.js';
import { problem } from '../problem.js';

export const fetchImpossible = problem(
  400,
  'FETCH_IMPOSSIBLE',
  'Configuration cannot fetch',
  (confId: string, why: string) => `Nothing can be fetched with configuration "${confId}": ${why}`,
);

export const nameMissing = (confId: string): string =>
  `http.agent.name, the name of the crawler, is not set. Set it with PUT /config/${confId}/http.agent.name, or name a configuration that has it.`;

/** Throws FETCH_IMPOSSIBLE for a configuration with which FETCH and SITEMAP fail. */
export function refuseImpossibleFetch(conf: Conf, confId: string): void {
  if (conf['http.agent.name'].trim() === '') throw fetchImpossible(confId, nameMissing(confId));
  if (!speaksAny(conf)) throw fetchImpossible(confId, 'plugin.includes does not name protocol-http.');
}
