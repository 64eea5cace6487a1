/** Signatures, by which pages have equal content (`db.signature.class`). */
import { md5Signature, textMd5Signature, textProfileSignature } from '../../core/page/signature.js';
import { simHashSignature } from '../../core/page/simhash.js';
import type { PluginFor } from '../extension-points.js';

export const signatures: readonly PluginFor<'makeSignature'>[] = [
  {
    id: 'signature-md5',
    className: 'org.apache.nutch.crawl.MD5Signature',
    description: 'Pages of equal bytes have the same content.',
    makeSignature: () => md5Signature,
  },
  {
    id: 'signature-text-md5',
    className: 'org.apache.nutch.crawl.TextMD5Signature',
    description: 'Pages of equal text have the same content.',
    makeSignature: () => textMd5Signature,
  },
  {
    id: 'signature-text-profile',
    className: 'org.apache.nutch.crawl.TextProfileSignature',
    description: 'Pages of equal frequent words have the same content.',
    makeSignature: (conf) => textProfileSignature(conf),
  },
  {
    // DEDUP treats pages up to `deduplication.simhash.distance` as duplicates.
    id: 'signature-simhash',
    className: 'org.apache.nutch.crawl.SimHashSignature',
    description: 'Computes signatures of 64 bits that differ in few bits for similar texts.',
    makeSignature: () => simHashSignature,
  },
];
