import { simHashSignature } from '../../core/page/simhash.js';
import type { PluginFor } from '../extension-points.js';

/** `signature-simhash`: near for near texts; DEDUP takes pages up to `deduplication.simhash.distance` for one content. */
export const simHash: PluginFor<'makeSignature'> = {
  id: 'signature-simhash',
  className: 'org.apache.nutch.crawl.SimHashSignature',
  description: 'Makes fingerprints of 64 bits that differ in few bits where texts differ in little.',
  makeSignature: () => simHashSignature,
};
