import { compileRegexFilter } from '../../core/url/filter-regex.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'db.ignore.external.exemptions.rules';
/** The rules where none are configured: no link is exempt. */
const NONE = '-.';

const exemptions = oncePerConf((conf) =>
  withRules(PROPERTY, conf[PROPERTY], (rules) => compileRegexFilter(rules, NONE)),
);

/** `urlfilter-ignoreexempt`: exempts external links from `db.ignore.external.links`, by regex rules on their target. */
export const ignoreExempt: PluginFor<'makeExemption'> = {
  id: 'urlfilter-ignoreexempt',
  className: 'org.apache.nutch.urlfilter.ignoreexempt.ExemptionUrlFilter',
  description: 'Exempts some external links from db.ignore.external.links.',
  makeExemption: (conf) => {
    const exempts = exemptions(conf);
    return (_, to) => exempts(to);
  },
};
