import { compileAutomatonFilter } from '../../core/url/filter-automaton.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

const PROPERTY = 'urlfilter.automaton.rules';

/** `urlfilter-automaton`: the first rule that matches the whole URL decides (unset: those that Nutch ships). */
export const automatonFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-automaton',
  className: 'org.apache.nutch.urlfilter.automaton.AutomatonURLFilter',
  description: 'The first expression that matches the whole URL decides.',
  makeFilter: oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileAutomatonFilter)),
};
