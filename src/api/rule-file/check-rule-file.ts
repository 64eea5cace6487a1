/** Rule files whose name tells what they hold are checked when they are stored, by what checks a configuration. */
import { type Conf, defaults, propertyOf } from '../../conf/properties.js';
import { type RuleFilePair, ruleFilePairs } from '../../conf/rule-file-pairs.js';
import { checkConf } from '../config/check-conf.js';

/** The pair of properties that a file of this name is for without being told. */
export const pairOf = (name: string): RuleFilePair | undefined =>
  ruleFilePairs.find(({ file }) => propertyOf(file)?.default === name);

/** @throws Error with a sentence that names the rule, the position and the reason */
export function checkRuleFile(name: string, content: string): void {
  const pair = pairOf(name);
  if (pair === undefined) return;
  // Rules of plugins that are off are checked too.
  const conf: Conf = { ...defaults, 'plugin.includes': '.*', 'plugin.excludes': '', [pair.rules]: content };
  checkConf(conf);
}
