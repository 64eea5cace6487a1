/** Problems of configurations; among them those with which nothing is fetched, whatever the URLs are. */
import type { Conf } from '../../core/conf/properties.js';
import { speaksAny } from '../../plugin/protocols.js';
import { problem, shown } from '../problem.js';

export const confUnknown = problem(
  404,
  'CONFIG_UNKNOWN',
  'Unknown configuration',
  (id: string) => `There is no configuration ${shown(id)}; GET /config lists all configurations.`,
);

export const propertyUnknown = problem(
  404,
  'PROPERTY_UNKNOWN',
  'Unknown property',
  (id: string, name: string, nearest: string | null) =>
    `Configuration ${shown(id)} has no property ${shown(name)}${nearest ? `; did you mean ${nearest}?` : '.'}`,
);

export const confExists = problem(
  400,
  'CONFIG_EXISTS',
  'Configuration exists',
  (id: string) => `Config already exists. ${shown(id)} is replaced only with "force": true.`,
);

export const confEmpty = problem(
  400,
  'CONFIG_EMPTY',
  'Configuration missing',
  () => 'Nutch configuration cannot be empty! Send configId and params.',
);

export const valueMissing = problem(
  400,
  'VALUE_MISSING',
  'Value missing',
  (name: string) => `Missing property value! Send the value of ${shown(name)} as the body.`,
);

export const defaultConfKept = problem(
  400,
  'DEFAULT_CONFIG_KEPT',
  'Configuration cannot be deleted',
  () => 'Configuration "default" cannot be deleted: all others are created from it.',
);

export const guardedProperty = problem(
  403,
  'PROPERTY_GUARDED',
  'Property for admins only',
  (name: string, set: string = name) =>
    `Property ${name} may be set with an admin key, or on a server bound to loopback without keys${set === name ? '' : `; ${shown(set)} changes what it says`}.`,
);

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
