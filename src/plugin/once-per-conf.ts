import type { Conf } from '../core/conf/properties.js';

/**
 * Caches a value per configuration: rules of a hundred thousand lines are compiled once, and not for each scope and task.
 * The value is collected together with its configuration.
 */
export function oncePerConf<T extends object>(make: (conf: Conf) => T): (conf: Conf) => T {
  const values = new WeakMap<Conf, T>();
  return (conf) => {
    const known = values.get(conf);
    if (known !== undefined) return known;
    const value = make(conf);
    values.set(conf, value);
    return value;
  };
}
