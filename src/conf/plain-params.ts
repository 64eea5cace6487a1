/** Params that take no time to speak of to be read, expanded and checked. */
import { type Params, asText, propertyOf } from './properties.js';
import { ruleFilePairs } from './rule-file-pairs.js';

/** Properties that make a configuration hold rules. */
export const ruleProperties = ruleFilePairs.flatMap(({ file, rules }): string[] => [file, rules]);

/** Without references, which grow when they are expanded, and without what makes an expression large once it is compiled. */
const PLAIN_TEXT = /^[^$*+?{}[\]\\]*$/;

/** Whether all are known, none holds rules, and no value refers to another or repeats. How long they are is for the caller to bound. */
export const isPlain = (params: Params): boolean =>
  Object.entries(params).every(([name, value]) => {
    const kind = propertyOf(name)?.kind;
    // To an unknown name the nearest one is sought among all.
    if (kind === undefined || kind === 'rules' || ruleProperties.includes(name)) return false;
    return PLAIN_TEXT.test(asText(name, value));
  });
