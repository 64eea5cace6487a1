import { compileSlashRules } from '../../core/url/normalize-slash.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';
import { rewriting } from '../rewriting.js';

const PROPERTY = 'urlnormalizer.slashes.rules';
const rewrite = oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileSlashRules));

/** `urlnormalizer-slash`: a slash at the end of paths, or none, by host (unset: none is changed). */
export const slashNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-slash',
  className: 'org.apache.nutch.net.urlnormalizer.slash.SlashURLNormalizer',
  description: 'Adds or removes the slash at the end of paths, by host.',
  makeNormalizer: (conf) => rewriting(rewrite(conf)),
};
