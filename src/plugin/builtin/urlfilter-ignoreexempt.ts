import { compileRegexFilter } from '../../core/url/filter-regex.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'db.ignore.external.exemptions.rules';
/** What is said of a link when no rules are configured: it is not exempt. */
const NONE = '-.';

const exemptions = oncePerConf((conf) =>
  withRules(PROPERTY, conf[PROPERTY], (rules) => compileRegexFilter(rules, NONE)),
);

/** `urlfilter-ignoreexempt`: external links that may pass `db.ignore.external.links`, by regex rules over their target. */
export const ignoreExempt: PluginFor<'makeExemption'> = {
  id: 'urlfilter-ignoreexempt',
  className: 'org.apache.nutch.urlfilter.ignoreexempt.ExemptionUrlFilter',
  description: 'Lets some external links through db.ignore.external.links.',
  makeExemption: (conf) => {
    const exempts = exemptions(conf);
    return (_, to) => exempts(to);
  },
};
