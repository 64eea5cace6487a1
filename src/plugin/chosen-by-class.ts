/**
 * Points of which a configuration takes one plugin, by its class: the schedule (`db.fetch.schedule.class`) and the
 * signature (`db.signature.class`). The package in front of a class name does not matter, nor does `plugin.includes`: in
 * Nutch these are no plugins, and naming the class is choice enough.
 */
import type { Conf } from '../conf/properties.js';
import type { Signature } from '../core/page/signature.js';
import type { FetchSchedule } from '../core/schedule/fetch-schedule.js';
import type { PluginFor } from './extension-points.js';
import { pluginsFor } from './registry.js';

/** A class that no plugin of the point has: a 400 where a configuration is given. */
export class ClassUnknownError extends Error {
  override readonly name = 'ClassUnknownError';

  constructor(property: string, given: string, known: readonly string[]) {
    super(
      `Property ${property} cannot hold ${JSON.stringify(given.slice(0, 100))}: it takes one of ${known.join(', ')}.`,
    );
  }
}

/**
 * The schedule of a configuration.
 * @throws ClassUnknownError for a class that there is not, UrlRulesError when a rule cannot be used
 */
export const makeSchedule = (conf: Conf): FetchSchedule =>
  chosen('makeSchedule', 'db.fetch.schedule.class', conf).makeSchedule(conf);

/**
 * The signature of a configuration.
 * @throws ClassUnknownError for a class that there is not
 */
export const makeSignature = (conf: Conf): Signature =>
  chosen('makeSignature', 'db.signature.class', conf).makeSignature(conf);

function chosen<P extends 'makeSchedule' | 'makeSignature'>(
  point: P,
  property: 'db.fetch.schedule.class' | 'db.signature.class',
  conf: Conf,
): PluginFor<P> {
  const given = conf[property];
  const all = pluginsFor(point);
  const found = all.find(({ className }) => simpleName(className) === simpleName(given));
  if (found === undefined)
    throw new ClassUnknownError(
      property,
      given,
      all.map(({ className }) => className),
    );
  return found;
}

const simpleName = (className: string): string =>
  className
    .slice(className.lastIndexOf('.') + 1)
    .trim()
    .toLowerCase();
