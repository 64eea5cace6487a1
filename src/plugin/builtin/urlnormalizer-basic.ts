import { normalizeBasic, type NormalizeBasicOptions } from '../../core/url/normalize-basic.js';
import type { PluginFor } from '../extension-points.js';

/**
 * `urlnormalizer-basic`: syntax-based normalization (RFC 3986 §6.2). Internationalized hosts become ASCII unless
 * `urlnormalizer.basic.host.idn` is toUnicode: resolved links are in ASCII, and one host must have one key.
 */
export const basicNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-basic',
  className: 'org.apache.nutch.net.urlnormalizer.basic.BasicURLNormalizer',
  description: 'Syntax-based normalization of URLs (RFC 3986 §6.2).',
  makeNormalizer: (conf) => {
    const options: NormalizeBasicOptions = {
      idn: conf['urlnormalizer.basic.host.idn'] === 'toUnicode' ? 'toUnicode' : 'toAscii',
      idna2008: conf['urlnormalizer.basic.host.idna2008'],
      trimTrailingDot: conf['urlnormalizer.basic.host.trim-trailing-dot'],
    };
    return { normalize: (url) => normalizeBasic(url, options) };
  },
};
