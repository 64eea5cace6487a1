import { compileHostRules } from '../../core/url/normalize-host.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';
import { rewriting } from '../rewriting.js';

const PROPERTY = 'urlnormalizer.hosts.rules';
const rewrite = oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileHostRules));

/** `urlnormalizer-host`: one host name for sites that have several (unset: none is changed). */
export const hostNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-host',
  className: 'org.apache.nutch.net.urlnormalizer.host.HostURLNormalizer',
  description: 'One host name for sites that have several.',
  makeNormalizer: (conf) => rewriting(rewrite(conf)),
};
