/**
 * Properties that may open inner addresses or files of this machine to the crawler, lead it through another server, or switch
 * politeness off: only an admin changes them. The value that a job would have is compared, with its references and rule
 * files, since a property that is not guarded may be the one that a guarded one refers to.
 */
import { type Conf, type Params, type PropertyName, asText } from './properties.js';

const guarded = [
  'file.crawl.roots',
  'http.filter.ipaddress.exclude',
  'http.filter.ipaddress.include',
  'http.filter.ports.exclude',
  'http.proxy.exception.list',
  'http.proxy.host',
  'http.proxy.port',
  'http.proxy.type',
  'http.robot.rules.allowlist',
  'indexer.engines',
] as const satisfies readonly PropertyName[];

/** The guarded property whose value a change would alter; undefined if none. */
export const changedGuard = (before: Conf, after: Conf): string | undefined =>
  guarded.find((name) => JSON.stringify(after[name]) !== JSON.stringify(before[name]));

export const isGuarded = (name: string): boolean => guarded.some((property) => property === name);

/**
 * The guarded property among these that is given as a reference: its later value would depend on properties that are not
 * guarded.
 */
export const referringGuard = (params: Params): string | undefined =>
  guarded.find((name) => Object.hasOwn(params, name) && asText(name, params[name]).includes('${'));
