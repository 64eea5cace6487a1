/** Signatures: by what pages have the same content (`db.signature.class`). */
import { md5Signature, textMd5Signature, textProfileSignature } from '../../core/page/signature.js';
import { simHashSignature } from '../../core/page/simhash.js';
import type { PluginFor } from '../extension-points.js';

export const signatures: readonly PluginFor<'makeSignature'>[] = [
  {
    id: 'signature-md5',
    className: 'org.apache.nutch.crawl.MD5Signature',
    description: 'Takes pages of the same bytes for the same content.',
    makeSignature: () => md5Signature,
  },
  {
    id: 'signature-text-md5',
    className: 'org.apache.nutch.crawl.TextMD5Signature',
    description: 'Takes pages of the same text for the same content.',
    makeSignature: () => textMd5Signature,
  },
  {
    id: 'signature-text-profile',
    className: 'org.apache.nutch.crawl.TextProfileSignature',
    description: 'Takes pages of the same frequent words for the same content.',
    makeSignature: (conf) => textProfileSignature(conf),
  },
  {
    // DEDUP takes pages up to `deduplication.simhash.distance` for one content.
    id: 'signature-simhash',
    className: 'org.apache.nutch.crawl.SimHashSignature',
    description: 'Makes fingerprints of 64 bits that differ in few bits where texts differ in little.',
    makeSignature: () => simHashSignature,
  },
];
