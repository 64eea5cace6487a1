/** How texts become terms when documents are written. */
import type { Fingerprint, Tokenize } from '../core/search/postings/segment-builder.js';
import { forEachToken } from '../core/search/analysis/analyze.js';

export const tokenize: Tokenize = forEachToken;

/** No fingerprint yet. */
export const fingerprint: Fingerprint = () => [0, 0];
