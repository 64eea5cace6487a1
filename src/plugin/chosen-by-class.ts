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

  constructor(property: string, given: string, known: readonly string[]) {
    super(
      property,
      `Property ${property} cannot be ${JSON.stringify(given.slice(0, 100))}: it takes one of ${known.join(', ')}.`,
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
  const of = (point: ClassPoint): string[] => {
    const found = named(point, conf[classProperties[point]]);
    return found === undefined ? [] : [found.id];
  };
  return new Set([...of('makeSchedule'), ...of('makeSignature')]);
}

function chosen<P extends ClassPoint>(point: P, conf: Conf): PluginFor<P> {
  const property = classProperties[point];
  const given = conf[property];
  const found = named(point, given);
  if (found === undefined)
    throw new ClassUnknownError(
      property,
      given,
      pluginsFor(point).map(({ className }) => className),
    );
  return found;
}

/** The plugin of a class: by its simple name, or by that name without the name of the point. */
function named<P extends ClassPoint>(point: P, given: string): PluginFor<P> | undefined {
  const all = pluginsFor(point);
  const name = simpleName(given);
  const ofClass = (wanted: string) => all.find(({ className }) => simpleName(className) === wanted);
  return ofClass(name) ?? ofClass(name + points[point].name.toLowerCase());
}
