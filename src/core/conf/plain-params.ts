/** Params that are parsed, expanded and checked in negligible time. */
import { type Params, asText, propertyOf } from './properties.js';
import { ruleFilePairs } from './rule-file-pairs.js';

/** Properties that contain rules or name a rule file. */
export const ruleProperties = ruleFilePairs.flatMap(({ file, rules }): string[] => [file, rules]);

/** Without references, which grow when expanded, and without quantifiers and classes, which make a compiled expression large. */
const PLAIN_TEXT = /^[^$*+?{}[\]\\]*$/;

/** Whether all are known, none contains rules, and every value matches PLAIN_TEXT. The caller bounds their length. */
export const isPlain = (params: Params): boolean =>
  Object.entries(params).every(([name, value]) => {
    const kind = propertyOf(name)?.kind;
    // For an unknown name the nearest known one is searched, which takes longer.
    if (kind === undefined || kind === 'rules' || ruleProperties.includes(name)) return false;
    return PLAIN_TEXT.test(asText(name, value));
  });
