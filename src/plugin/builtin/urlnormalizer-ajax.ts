import { escapeFragment, unescapeFragment } from '../../core/url/normalize-ajax.js';
import type { PluginFor } from '../extension-points.js';

/** `urlnormalizer-ajax`: `#!state` as a query parameter, and back in scope indexer. */
export const ajaxNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-ajax',
  className: 'org.apache.nutch.net.urlnormalizer.ajax.AjaxURLNormalizer',
  description: 'Writes #! as the parameter _escaped_fragment_, and back in scope indexer.',
  makeNormalizer: (_, scope) => ({ normalize: scope === 'indexer' ? unescapeFragment : escapeFragment }),
};
