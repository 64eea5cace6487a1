/** Params that are parsed, expanded and checked in negligible time. */
import { type Params, asText, propertyOf } from './properties.js';
import { ruleFilePairs } from './rule-file-pairs.js';

/** Properties that contain rules or name a rule file. */
const ruleProperties = ruleFilePairs.flatMap(({ file, rules }): string[] => [file, rules]);

/** Properties that select plugins. */
const selectingProperties = [
  'plugin.includes',
  'plugin.includes.also',
  'db.fetch.schedule.class',
  'db.signature.class',
];

let slow: readonly string[] = ruleProperties;

/**
 * Properties that a configuration which applies fast does not have: those with rules and, if there are external plugins,
 * those that select plugins.
 */
export const slowProperties = (): readonly string[] => slow;

/** Called when external plugins were loaded: what they make, and what that does, may take any time. */
export function expectExternalPlugins(): void {
  slow = [...ruleProperties, ...selectingProperties];
}

/** Without references, which grow when expanded, and without quantifiers and classes, which make a compiled expression large. */
const PLAIN_TEXT = /^[^$*+?{}[\]\\]*$/;

/** Whether all are known, none is a slow property, and every value matches PLAIN_TEXT. The caller bounds their length. */
export const isPlain = (params: Params): boolean =>
  Object.entries(params).every(([name, value]) => {
    const kind = propertyOf(name)?.kind;
    // For an unknown name the nearest known one is searched, which takes longer.
    if (kind === undefined || kind === 'rules' || slow.includes(name)) return false;
    return PLAIN_TEXT.test(asText(name, value));
  });
