/** Analysis of documents when they are indexed. */
import { forEachToken } from '../core/search/analysis/analyze.js';
import { fingerprintOf } from '../core/search/near-duplicates.js';
import type { FingerprintOf, Tokenize } from '../core/search/postings/segment-builder.js';

export const tokenize: Tokenize = forEachToken;
export const fingerprint: FingerprintOf = fingerprintOf;
