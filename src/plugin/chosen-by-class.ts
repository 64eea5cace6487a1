/**
 * Extension points of which a configuration uses a single plugin, chosen by class: the schedule
 * (`db.fetch.schedule.class`) and the signature (`db.signature.class`). The package of a class name and the name of the
 * point at its end may be omitted (`Adaptive`). `plugin.includes` does not apply, as these are not plugins in Nutch.
 */
import { PropertyRefused } from '../core/conf/property-refused.js';
import { simpleName } from '../core/conf/property.js';
import type { Conf } from '../core/conf/properties.js';
import type { Signature } from '../core/page/signature.js';
import type { FetchSchedule } from '../core/schedule/fetch-schedule.js';
import { type PluginFor, type Point, points } from './extension-points.js';
import { pluginsFor } from './registry.js';

/** A class that no plugin of the point has: status 400 when a configuration is set. */
export class ClassUnknownError extends PropertyRefused {
  override readonly name = 'ClassUnknownError';

  constructor(property: string, className: string, known: readonly string[]) {
    super(
      property,
      `Property ${property} cannot be ${JSON.stringify(className.slice(0, 100))}: it takes one of ${known.join(', ')}.`,
    );
  }
}

/** The property that names the class, by point. */
const classProperties = {
  makeSchedule: 'db.fetch.schedule.class',
  makeSignature: 'db.signature.class',
} as const;

/** A point whose plugin is chosen by class. */
export type ClassPoint = keyof typeof classProperties;

/**
 * The schedule of a configuration.
 * @throws ClassUnknownError for an unknown class, RulesRefused for an invalid rule
 */
export const makeSchedule = (conf: Conf): FetchSchedule => chosen('makeSchedule', conf).makeSchedule(conf);

/**
 * The signature of a configuration.
 * @throws ClassUnknownError for an unknown class
 */
export const makeSignature = (conf: Conf): Signature => chosen('makeSignature', conf).makeSignature(conf);

export const isChosenByClass = (point: Point): point is ClassPoint => Object.hasOwn(classProperties, point);

/** The ids of the plugins that a configuration chooses by class; an unknown class yields none. */
export function chosenIds(conf: Conf): ReadonlySet<string> {
  const idsOf = (point: ClassPoint): string[] => {
    const plugin = named(point, conf[classProperties[point]]);
    return plugin === undefined ? [] : [plugin.id];
  };
  return new Set([...idsOf('makeSchedule'), ...idsOf('makeSignature')]);
}

function chosen<P extends ClassPoint>(point: P, conf: Conf): PluginFor<P> {
  const property = classProperties[point];
  const className = conf[property];
  const plugin = named(point, className);
  if (plugin === undefined)
    throw new ClassUnknownError(
      property,
      className,
      pluginsFor(point).map(({ className }) => className),
    );
  return plugin;
}

/**
 * The plugin of a class: by its whole name, by its simple name, or by that name without the name of the point. An external
 * plugin may have the simple name of a built-in one.
 */
function named<P extends ClassPoint>(point: P, className: string): PluginFor<P> | undefined {
  const plugins = pluginsFor(point);
  const whole = className.trim().toLowerCase();
  const ofWholeName = plugins.find((plugin) => plugin.className.toLowerCase() === whole);
  if (ofWholeName !== undefined) return ofWholeName;
  const name = simpleName(className);
  const ofClass = (shortName: string) => plugins.find(({ className }) => simpleName(className) === shortName);
  return ofClass(name) ?? ofClass(name + points[point].name.toLowerCase());
}
