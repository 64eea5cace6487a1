/**
 * Validates the shape of external plugins.
 *
 * They are written in plain JavaScript, without a compiler's checks: so the shape is checked when the plugin is loaded,
 * and an error is reported as one sentence. The names of makers are taken from the table of points, so that a new point
 * needs no change here.
 */
import { kindOf } from './kind-of.js';
import { nearestName } from '../core/conf/nearest-name.js';
import { type Property, flag, float, int, list, rules, text } from '../core/conf/property.js';
import { type Plugin, points } from './extension-points.js';
import type { Unchecked } from './external-call.js';
import { MIN_INT32 } from '../core/int32.js';

/** A valid plugin, with its properties in the form of the table of properties. */
export interface ShapedPlugin {
  readonly plugin: Plugin;
  readonly properties: Readonly<Record<string, Property<unknown>>>;
}

/** The reason why a plugin is invalid. */
export class ShapeError extends Error {
  override readonly name = 'ShapeError';
}

const ID_SHAPE = /^[A-Za-z][A-Za-z0-9]*(?:[-_.][A-Za-z0-9]+)*$/;
const MAX_ID_LENGTH = 100;
const PROPERTY_SHAPE = /^[A-Za-z][A-Za-z0-9._-]{0,199}$/;
const MAX_PLUGINS = 100;
const MAX_PROPERTIES = 100;
/** Those of external plugins: a protocol of one would connect past the egress guard. */
const makers = Object.keys(points).filter((name) => name !== 'makeProtocol');
const flags = ['writesWithoutParameters', 'writesConcurrently'] as const;
const plainFields = ['id', 'className', 'description', 'requires', 'properties', ...flags];

/**
 * The plugins of a module's default export: one, or an array of them.
 * @throws ShapeError
 */
export function shapePlugins(exported: unknown): ShapedPlugin[] {
  if (exported === undefined) throw new ShapeError('it has no default export: export a plugin, or an array of them');
  const plugins: unknown[] = Array.isArray(exported) ? exported : [exported];
  if (plugins.length === 0 || plugins.length > MAX_PLUGINS)
    throw new ShapeError(`it exports ${plugins.length} plugins: 1 to 100`);
  return plugins.map(shapePlugin);
}

function shapePlugin(exported: unknown): ShapedPlugin {
  if (typeof exported !== 'object' || exported === null) {
    throw new ShapeError(
      `its default export is ${kindOf(exported)}: it must be a plugin (an object), or an array of them`,
    );
  }
  const plugin = exported as Unchecked;
  const { id } = plugin;
  if (typeof id !== 'string' || id.length > MAX_ID_LENGTH || !ID_SHAPE.test(id)) {
    throw new ShapeError(
      `its id is ${shown(id)}: letters and digits with -, _ or . between them, at most ${MAX_ID_LENGTH} characters`,
    );
  }
  const { description, className = id } = plugin;
  if (!isLine(description)) throw new ShapeError(`plugin ${id} has no description: one line of text`);
  if (!isLine(className)) throw new ShapeError(`plugin ${id}: className must be one line of text`);
  checkMakers(id, plugin);
  const { requires = [] } = plugin;
  if (
    !Array.isArray(requires) ||
    requires.length > MAX_PLUGINS ||
    !requires.every((required) => typeof required === 'string')
  ) {
    throw new ShapeError(`plugin ${id}: requires must be an array of plugin ids`);
  }
  const boundMakers = makers.flatMap((name) => {
    const maker = plugin[name];
    // Bound to the original object, which may be an instance of a class.
    return typeof maker === 'function' ? [[name, maker.bind(exported) as unknown]] : [];
  });
  const fields = { id, className, description, requires, ...flagsOf(id, plugin) };
  const shaped: Plugin = { ...fields, ...Object.fromEntries(boundMakers) };
  return { plugin: shaped, properties: shapeProperties(id, plugin) };
}

function flagsOf(id: string, plugin: Unchecked): Record<string, boolean> {
  return Object.fromEntries(
    flags.map((name) => {
      const { [name]: value = false } = plugin;
      if (typeof value !== 'boolean') throw new ShapeError(`plugin ${id}: ${name} must be true or false`);
      return [name, value];
    }),
  );
}

function checkMakers(id: string, plugin: Unchecked): void {
  const named = memberNames(plugin).filter((name) => name.startsWith('make'));
  const stray = named.find((name) => !makers.includes(name));
  if (stray !== undefined) {
    const near = nearestName(stray, makers);
    throw new ShapeError(
      `plugin ${id}: ${stray} is no maker${near ? ` (${near}?)` : ''}; there are ${makers.join(', ')}`,
    );
  }
  const dull = named.find((name) => typeof plugin[name] !== 'function');
  if (dull !== undefined) throw new ShapeError(`plugin ${id}: ${dull} is ${kindOf(plugin[dull])}, not a function`);
  if (named.length === 0) throw new ShapeError(`plugin ${id} has none of the makers ${makers.join(', ')}`);
  const misspelt = Object.keys(plugin)
    .filter((name) => !plainFields.includes(name) && !makers.includes(name))
    .find((name) => nearestName(name, makers) !== null);
  if (misspelt !== undefined) {
    throw new ShapeError(
      `plugin ${id}: ${misspelt} is no member of a plugin; did you mean ${nearestName(misspelt, makers)}?`,
    );
  }
}

/** Own and inherited names, without those of `Object`. */
function memberNames(plugin: object): string[] {
  const names = new Set<string>();
  for (let at: object = plugin; at !== null && at !== Object.prototype; at = Object.getPrototypeOf(at) as object) {
    for (const name of Object.getOwnPropertyNames(at)) names.add(name);
  }
  return [...names];
}

function shapeProperties(id: string, { properties = {} }: Unchecked): Record<string, Property<unknown>> {
  if (typeof properties !== 'object' || properties === null || Array.isArray(properties)) {
    throw new ShapeError(`plugin ${id}: properties must be an object of names and { default, description }`);
  }
  const entries = Object.entries(properties as Record<string, unknown>);
  if (entries.length > MAX_PROPERTIES)
    throw new ShapeError(`plugin ${id} declares more than ${MAX_PROPERTIES} properties`);
  return Object.fromEntries(
    entries.map(([name, declared]) => [name, shapeProperty(`plugin ${id}: property ${name}`, name, declared)]),
  );
}

const kinds = {
  text: (value: unknown, sentence: string) => text(String(value), sentence),
  int: (value: unknown, sentence: string) => int(Number(value), sentence, { min: MIN_INT32 }),
  float: (value: unknown, sentence: string) => float(Number(value), sentence, { min: -1e12 }),
  flag: (value: unknown, sentence: string) => flag(value === true || value === 'true', sentence),
  list: (value: unknown, sentence: string) => list(splitWords(value), sentence),
  rules: (value: unknown, sentence: string) => rules(Array.isArray(value) ? value.join('\n') : String(value), sentence),
};

function shapeProperty(path: string, name: string, declared: unknown): Property<unknown> {
  if (!PROPERTY_SHAPE.test(name)) throw new ShapeError(`${path.slice(0, 200)}: this cannot name a property`);
  if (typeof declared !== 'object' || declared === null)
    throw new ShapeError(`${path} must be { default, description }`);
  const { kind = 'text', default: value, description } = declared as Unchecked;
  if (!isLine(description)) throw new ShapeError(`${path} has no description: one line of text`);
  if (typeof kind !== 'string' || !Object.hasOwn(kinds, kind)) {
    throw new ShapeError(`${path}: kind ${shown(kind)} is unknown; there are ${Object.keys(kinds).join(', ')}`);
  }
  const property: Property<unknown> = kinds[kind as keyof typeof kinds](value, description);
  if (value === undefined || property.read(value) === undefined) {
    throw new ShapeError(`${path}: its default ${shown(value)} is not allowed: it takes ${property.allowed}`);
  }
  return property;
}

const splitWords = (value: unknown): string[] =>
  (Array.isArray(value) ? value.map(String) : String(value).split(/[\s,]+/)).filter((word) => word !== '');

const isLine = (value: unknown): value is string =>
  typeof value === 'string' && value.trim() !== '' && value.length <= 1_000 && !/\p{Cc}/u.test(value);

const shown = (value: unknown): string =>
  typeof value === 'string' ? JSON.stringify(value.slice(0, 100)) : kindOf(value);
