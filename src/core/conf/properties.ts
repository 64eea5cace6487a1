/**
 * The one table of crawl properties.
 *
 * Everything that an operator can set is here: name, kind, unit, default, bounds, one sentence. Names and defaults are
 * Nutch's, except as docs/properties.md states. From this table come the type `Conf`, validation,
 * `GET /config/default`, Swagger and docs/properties.md.
 *
 * A configuration is merged as text (shipped defaults, CONF_FILE, a named configuration) and only then read as typed
 * values, so that `${fetcher.server.delay}` in a lower source follows a change made in a higher one, as in Hadoop.
 */
import { maskedUserInfo } from '../url/url-credentials.js';
import { VariableExpansion } from './expand.js';
import { nearestName } from './nearest-name.js';
import { contentProperties } from './properties.content.js';
import { crawlProperties } from './properties.crawl.js';
import { dbProperties } from './properties.db.js';
import { fetcherProperties } from './properties.fetcher.js';
import { generateProperties } from './properties.generate.js';
import { hostdbProperties } from './properties.hostdb.js';
import { httpProperties } from './properties.http.js';
import { indexProperties } from './properties.index.js';
import { linkProperties } from './properties.links.js';
import { parserProperties } from './properties.parser.js';
import { pluginProperties } from './properties.plugin.js';
import { protocolProperties } from './properties.protocols.js';
import { scoreProperties } from './properties.score.js';
import { searchProperties } from './properties.search.js';
import { serverProperties } from './properties.server.js';
import { sitemapProperties } from './properties.sitemap.js';
import { trapProperties } from './properties.trap.js';
import { urlProperties } from './properties.url.js';
import { webgraphProperties } from './properties.webgraph.js';
import type { Property } from './property.js';
import { whyWithoutMeaning } from './unsupported-properties.js';

export const properties = {
  ...contentProperties,
  ...crawlProperties,
  ...dbProperties,
  ...fetcherProperties,
  ...generateProperties,
  ...hostdbProperties,
  ...httpProperties,
  ...indexProperties,
  ...linkProperties,
  ...parserProperties,
  ...pluginProperties,
  ...protocolProperties,
  ...scoreProperties,
  ...searchProperties,
  ...serverProperties,
  ...sitemapProperties,
  ...trapProperties,
  ...urlProperties,
  ...webgraphProperties,
};

export type PropertyName = keyof typeof properties;

type Writable<T> = T extends boolean ? boolean : T extends number ? number : T;

/** A complete configuration: every property of the table with its typed value. */
export type Conf = { readonly [K in PropertyName]: Writable<(typeof properties)[K]['default']> };

/** A source of a configuration: values as they were given, by property name. */
export type Params = Readonly<Record<string, unknown>>;

export interface ConfProblem {
  property: string;
  /**
   * The value as given, shortened to 200 characters, without the user info of URLs: null or an object as JSON, others as a
   * text in quotes.
   */
  given: string;
  /** The allowed values, in words. */
  allowed: string;
}

export interface ParsedConf {
  conf: Conf;
  /** Unknown properties, kept as text. */
  extra: Readonly<Record<string, string>>;
  /** Unknown properties to which no known one refers (`${name}`): they have no effect. */
  unused: readonly string[];
  problems: ConfProblem[];
  /** References to secrets that were not replaced. */
  withheld: WithheldSecret[];
}

/** A reference that keeps its `${…}`: its property would show the secret, or send it to servers for which it is not meant. */
export interface WithheldSecret {
  property: string;
  secret: string;
}

export const propertyNames = Object.keys(properties).sort() as PropertyName[];

const table = new Map<string, Property<unknown>>(Object.entries(properties));

/** Adds the properties that external plugins declare: known, checked and listed from then on like all others, secret by name. */
export function addProperties(added: Readonly<Record<string, Property<unknown>>>): void {
  for (const [name, property] of Object.entries(added)) {
    table.set(name, SECRET_NAME.test(name) ? { ...property, secret: true } : property);
  }
  propertyNames.push(...(Object.keys(added) as PropertyName[]));
  propertyNames.sort();
}

/** What is shown instead of a secret. */
export const MASK = '********';
/** Names of secrets that are not in the table, those of NutchServer's users and key store (restapi.auth.*) included. */
const SECRET_NAME =
  /pass(?:word|wd|phrase)|pwd|[._-]pass$|secret|token|credential|authorization|(?:api|access|private)[._-]?key|(?:key|store)pass|auth[.]users/i;

/** Whether the value of a property, or of an argument of a job, must not be shown. Our own properties declare it. */
export function isSecret(name: string): boolean {
  const property = table.get(name);
  return property === undefined ? SECRET_NAME.test(name) : property.secret === true;
}

/** Whether references of this property to secrets are replaced. */
export const takesSecrets = (name: string): boolean => table.get(name)?.takesSecrets === true;

export const propertyOf = (name: string): Property<unknown> | undefined => table.get(name);

/** A value as the text that configurations store and return: arrays joined by their kind, all else by String. */
export function asText(name: string, value: unknown): string {
  if (Array.isArray(value)) return value.map(itemText).join(table.get(name)?.kind === 'rules' ? '\n' : ',');
  return itemText(value);
}

/** Objects have a `toString` that the client chose. */
const itemText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);

/**
 * Reads the sources `base` and, overriding it, `params`, as a configuration.
 * Never throws: a bad value leaves the default in `conf` and is listed in `problems`.
 * A default that follows a bad value is no problem of its own; one that cannot follow a good value is.
 */
export function parseConf(params: Params, base: Params = {}): ParsedConf {
  const values = new Map([...Object.entries(base), ...Object.entries(params)]);
  const withheld: WithheldSecret[] = [];
  const referenced = new Set<string>();
  let reading = '';
  const expansion = new VariableExpansion((name) => {
    referenced.add(name);
    // Through any chain of references: the property decides whose value would contain the secret.
    if (isSecret(name) && !takesSecrets(reading)) {
      withheld.push({ property: reading, secret: name });
      return undefined;
    }
    return values.has(name) ? asText(name, values.get(name)) : table.get(name)?.defaultText;
  });
  const conf: Record<string, unknown> = Object.create(null);
  const problems: ConfProblem[] = [];
  const ofDefaults: ConfProblem[] = [];
  for (const [name, property] of table) {
    const written = values.has(name) ? values.get(name) : property.defaultText;
    reading = name;
    const value = readValue(property, written, expansion);
    if (value === undefined) (values.has(name) ? problems : ofDefaults).push(problemOf(name, written));
    conf[name] = value ?? property.default;
  }
  const unknown = [...values.keys()].filter((name) => !table.has(name));
  return {
    conf: conf as Conf,
    extra: Object.fromEntries(unknown.map((name) => [name, asText(name, values.get(name))])),
    unused: unknown.filter((name) => !referenced.has(name)),
    problems: problems.length > 0 ? problems : ofDefaults,
    withheld,
  };
}

/** A sentence about a name that is not in the table. Not for thousands of names: each is compared with every known name. */
export function noticeOn(name: string): string {
  const reason = whyWithoutMeaning(name);
  if (reason !== undefined) return `Property ${name} changes nothing here. ${reason}`;
  const nearest = nearestName(name, propertyNames) ?? nameAtEnd(name);
  return `Property ${name} is not known and changes nothing here${nearest ? `; the nearest is ${nearest}.` : '.'}`;
}

/** The known name that a longer one ends with: Nutch's documents write `crawl.generate.filter`. */
const nameAtEnd = (longName: string): string | null =>
  propertyNames.find((name) => longName.endsWith(`.${name}`)) ?? null;

function readValue(property: Property<unknown>, value: unknown, expansion: VariableExpansion): unknown {
  if (typeof value !== 'string') return property.read(value);
  const text = expansion.expand(value);
  return text === undefined ? undefined : property.read(text);
}

export function problemOf(property: string, value: unknown): ConfProblem {
  const isText = isSecret(property) || Array.isArray(value) || typeof value !== 'object';
  const shown = isSecret(property) ? MASK : maskedUserInfo(asText(property, value), MASK).slice(0, 200);
  return {
    property,
    given: isText ? JSON.stringify(shown) : shown,
    allowed: table.get(property)?.allowed ?? 'a known property',
  };
}

export const defaults: Conf = parseConf({}).conf;
