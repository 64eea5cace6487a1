/** Properties that may open inner addresses to the crawler, lead it through another server, or switch politeness off. */
import { type Params, asText } from '../../conf/properties.js';

const guarded: readonly string[] = [
  'http.filter.ipaddress.exclude',
  'http.filter.ipaddress.include',
  'http.filter.ports.exclude',
  'http.proxy.exception.list',
  'http.proxy.host',
  'http.proxy.port',
  'http.proxy.type',
  'http.robot.rules.allowlist',
];

type Shown = Readonly<Record<string, string>>;

export const guardedOf = (params: Params): string[] => guarded.filter((name) => Object.hasOwn(params, name));

/**
 * The guarded one of these params that may open something: none where all guarded properties together say what they say in
 * one of `inForce`. A part of them is not enough: an address may be open there only because others beside it are closed.
 * @param otherwise what the properties say that the params leave alone
 */
export function openedBy(params: Params, otherwise: Shown, inForce: readonly Shown[]): string | undefined {
  const given = guardedOf(params);
  const text = (name: string) => (given.includes(name) ? asText(name, params[name]) : (otherwise[name] ?? ''));
  // What a reference says is decided by other properties, which are not guarded.
  const refers = given.find((name) => text(name).includes('${'));
  if (refers !== undefined) return refers;
  if (inForce.some((shown) => guarded.every((name) => text(name) === shown[name]))) return undefined;
  return given.find((name) => text(name) !== inForce[0]?.[name]) ?? given[0];
}
