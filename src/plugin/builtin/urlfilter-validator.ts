import { makeValidator } from '../../core/url/filter-validator.js';
import type { PluginFor } from '../extension-points.js';

/** `urlfilter-validator`: keeps URLs that are well-formed by narrow rules (`urlfilter.tld.length`). */
export const validatorFilter: PluginFor<'makeFilter'> = {
  id: 'urlfilter-validator',
  className: 'org.apache.nutch.urlfilter.validator.UrlValidator',
  description: 'Keeps URLs that are well-formed by narrow rules.',
  makeFilter: (conf) => makeValidator(conf['urlfilter.tld.length']),
};
