import { textProfileSignature } from '../../core/page/signature.js';
import type { PluginFor } from '../extension-points.js';

/** `signature-text-profile`: the words that repeat in a page. */
export const textProfile: PluginFor<'makeSignature'> = {
  id: 'signature-text-profile',
  className: 'org.apache.nutch.crawl.TextProfileSignature',
  description: 'Takes pages of the same frequent words for the same content.',
  makeSignature: (conf) => textProfileSignature(conf),
};
