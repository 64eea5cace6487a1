import { sortQuery } from '../../core/url/normalize-querystring.js';
import type { PluginFor } from '../extension-points.js';

/** `urlnormalizer-querystring`: query parameters in one order. */
export const querystringNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-querystring',
  className: 'org.apache.nutch.net.urlnormalizer.querystring.QuerystringURLNormalizer',
  description: 'Sorts query parameters.',
  makeNormalizer: () => ({ normalize: sortQuery }),
};
