import type { Conf } from '../conf/properties.js';

/**
 * Makes something of a configuration once: rules of a hundred thousand lines are read for the first scope, and the first
 * task, and not for each. What is made is forgotten together with its configuration.
 */
export function oncePerConf<T extends object>(make: (conf: Conf) => T): (conf: Conf) => T {
  const made = new WeakMap<Conf, T>();
  return (conf) => {
    const known = made.get(conf);
    if (known !== undefined) return known;
    const value = make(conf);
    made.set(conf, value);
    return value;
  };
}
