import { textMd5Signature } from '../../core/page/signature.js';
import type { PluginFor } from '../extension-points.js';

/** `signature-text-md5`: the text of a page. */
export const textMd5: PluginFor<'makeSignature'> = {
  id: 'signature-text-md5',
  className: 'org.apache.nutch.crawl.TextMD5Signature',
  description: 'Takes pages of the same text for the same content.',
  makeSignature: () => textMd5Signature,
};
