import type { PluginFor } from '../extension-points.js';

/** `urlnormalizer-pass`: leaves every URL as it is; stands in a scope that should have no normalizer. */
export const passNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-pass',
  className: 'org.apache.nutch.net.urlnormalizer.pass.PassURLNormalizer',
  description: 'Leaves every URL as it is.',
  makeNormalizer: () => ({ normalize: (url) => url }),
};
