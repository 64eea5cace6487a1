/**
 * The signature of a page: pages with equal signatures have the same content.
 *
 * MD5 hashes the raw bytes. TextProfile hashes rounded word counts, so that a date or a counter in the footer does not
 * count as a modification. SimHash (simhash.ts) gives similar texts similar signatures. `db.signature.class` selects one.
 * MD5 is used as a signature here, not for security.
 */
import { WORDS } from '../words.js';
import { hash } from 'node:crypto';

export interface SignatureInput {
  readonly content: Uint8Array;
  /** Hashed in place of empty content. */
  readonly url: string;
  /** Empty for a page that was not parsed. */
  readonly text: string;
}

/** Computes the signature of a page, in hex digits. Never throws. */
export type Signature = (page: SignatureInput) => string;

export interface TextProfileProps {
  /** Tokens up to this length are ignored. */
  readonly 'db.signature.text_profile.min_token_len': number;
  /** Counts are rounded down to multiples of this fraction of the highest count. */
  readonly 'db.signature.text_profile.quant_rate': number;
  /** Tokens of equal count are sorted as text; false (2.x, made deterministic): by their first position in the text. */
  readonly 'db.signature.text_profile.sec_sort_lex': boolean;
}

/** MD5 of the bytes, or of the URL for a page without content (Nutch `MD5Signature`). */
export const md5Signature: Signature = ({ content, url }) => md5(content.length > 0 ? content : url);

/** MD5 of the text; for a page without text as `md5Signature` (Nutch `TextMD5Signature`). */
export const textMd5Signature: Signature = (page) => (page.text === '' ? md5Signature(page) : md5(page.text));

/** MD5 of the text's profile; for an empty profile as `md5Signature` (Nutch `TextProfileSignature`). */
export function textProfileSignature(props: TextProfileProps): Signature {
  return (page) => {
    const profile = textProfile(page.text, props);
    return profile === '' ? md5Signature(page) : md5(profile);
  };
}

function md5(data: string | Uint8Array): string {
  return hash('md5', data, 'hex');
}

/**
 * The profile: one line `token count` for each token, most frequent first, equal counts by token (or by position). The
 * quantum is a fraction of the highest count; counts are rounded down to a multiple of it and smaller ones dropped, so a
 * word that occurs once is dropped as soon as any word occurs twice.
 */
export function textProfile(text: string, props: TextProfileProps): string {
  const counts = tokenCounts(text, props['db.signature.text_profile.min_token_len']);
  let highest = 0;
  for (const count of counts.values()) highest = Math.max(highest, count);
  const share = Math.round(highest * props['db.signature.text_profile.quant_rate']);
  const quantum = share >= 2 ? share : highest > 1 ? 2 : 1;
  const kept: [token: string, count: number][] = [];
  for (const [token, count] of counts) {
    const rounded = Math.floor(count / quantum) * quantum;
    if (rounded >= quantum) kept.push([token, rounded]);
  }
  const lexically = props['db.signature.text_profile.sec_sort_lex'];
  // The sort is stable: without a second criterion the tokens of one count stay in the order of their first positions.
  kept.sort((a, b) => b[1] - a[1] || (lexically ? (a[0] < b[0] ? -1 : 1) : 0));
  return kept.map(([token, count]) => `${token} ${count}`).join('\n');
}

function tokenCounts(text: string, minLength: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [token] of text.toLowerCase().matchAll(WORDS)) {
    if (token.length > minLength) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
}
