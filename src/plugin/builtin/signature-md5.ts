import { md5Signature } from '../../core/page/signature.js';
import type { PluginFor } from '../extension-points.js';

/** `signature-md5`: the bytes of a page. */
export const md5: PluginFor<'makeSignature'> = {
  id: 'signature-md5',
  className: 'org.apache.nutch.crawl.MD5Signature',
  description: 'Takes pages of the same bytes for the same content.',
  makeSignature: () => md5Signature,
};
