/** Checks rule files with a default name when they are stored, with the check of configurations. */
import { type Conf, defaults, propertyOf } from '../../core/conf/properties.js';
import { type RuleFilePair, ruleFilePairs } from '../../core/conf/rule-file-pairs.js';
import { checkConf } from '../config/check-conf.js';

/** The pair of properties whose default file has this name. */
export const pairOf = (name: string): RuleFilePair | undefined =>
  ruleFilePairs.find(({ file }) => propertyOf(file)?.default === name);

/** @throws Error with a sentence that names the rule, the position and the reason */
export function checkRuleFile(name: string, content: string): void {
  const pair = pairOf(name);
  if (pair === undefined) return;
  // Rules of inactive plugins are checked, too.
  const conf: Conf = { ...defaults, 'plugin.includes': '.*', 'plugin.excludes': '', [pair.rules]: content };
  checkConf(conf);
}
