/** Options of the synthetic web, with defaults; main.mjs describes them. */
import { parseArgs } from 'node:util';

export const DEFAULTS = {
  port: 8500,
  control: 0,
  hosts: 50,
  pages: 200,
  seed: 1,
  workers: 1,
  size: 32,
  links: '30-100',
  external: 0.1,
  latency: 0,
  jitter: 0,
  gzip: 1,
  cache: 512,
  errors: 0,
  traps: 0,
  robots: 1,
  delay: 1,
  dups: 0.05,
  near: 0.05,
  validators: 1,
  churn: 0,
  epoch: 60,
  by: 'ip',
  log: 0,
  stats: 1,
};

/** @typedef {typeof DEFAULTS} Options */

/** Options of a command line (`--hosts 20 --by=name`); throws for an unknown name, and for text instead of a number. */
export function optionsOf(words) {
  const known = Object.fromEntries(Object.keys(DEFAULTS).map((name) => [name, { type: 'string' }]));
  const { values } = parseArgs({ args: words, options: known });
  return withDefaults(
    Object.fromEntries(
      Object.entries(values).map(([name, text]) => [name, typeof DEFAULTS[name] === 'number' ? Number(text) : text]),
    ),
  );
}

/** The given options with defaults; the default port of the control server is the next one. */
export function withDefaults(given) {
  const options = { ...DEFAULTS, ...given };
  for (const [name, value] of Object.entries(options))
    if (typeof DEFAULTS[name] === 'number' && !Number.isFinite(value)) throw new Error(`--${name} takes a number`);
  if (!/^\d+-\d+$/.test(options.links)) throw new Error('--links takes a range, as in 30-100');
  if (!['ip', 'name'].includes(options.by)) throw new Error('--by takes ip or name');
  options.control ||= options.port + 1;
  return options;
}
