/** How documents are read when they are written. */
import { simHash } from '../core/page/simhash.js';
import { forEachToken } from '../core/search/analysis/analyze.js';
import type { Fingerprint, Tokenize } from '../core/search/postings/segment-builder.js';

export const tokenize: Tokenize = forEachToken;

/** A text without words has none. */
export const fingerprint: Fingerprint = ({ texts }) => {
  const hex = simHash(texts.content.join('\n')) ?? '0'.repeat(16);
  return [parseInt(hex.slice(0, 8), 16), parseInt(hex.slice(8), 16)];
};
