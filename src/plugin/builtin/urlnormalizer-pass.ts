import type { NormalizerPlugin } from '../extension-points.js';

/** `urlnormalizer-pass`: leaves every URL as it is; stands in a scope that should have no normalizer. */
export const passNormalizer: NormalizerPlugin = {
  id: 'urlnormalizer-pass',
  className: 'org.apache.nutch.net.urlnormalizer.pass.PassURLNormalizer',
  makeNormalizer: () => ({ normalize: (url) => url }),
};
