/**
 * The fingerprint of a page: two pages with the same one count as the same content.
 *
 * MD5 takes every byte as it is. TextProfile takes only how often which words occur, roughly, so that a date or a counter
 * in the footer does not make a page new. The class is chosen by `db.signature.class`. MD5 is a fingerprint here, not a
 * promise against forgery.
 */
import { createHash } from 'node:crypto';

export interface SignatureInput {
  readonly content: Uint8Array;
  /** Stands in for content that is not there. */
  readonly url: string;
  readonly text: string;
}

export interface SignatureProps {
  /** Nutch class name; the package in front does not matter. */
  readonly 'db.signature.class': string;
  /** Tokens up to this length are ignored. */
  readonly 'db.signature.text_profile.min_token_len': number;
  /** Counts are rounded down to multiples of this share of the highest count. */
  readonly 'db.signature.text_profile.quant_rate': number;
}

/** The signatures there are, under the simple names of the Nutch classes. */
export const SIGNATURE_NAMES = ['MD5Signature', 'TextMD5Signature', 'TextProfileSignature'] as const;

/** 32 hex digits for the page. An unknown class name gives the MD5 signature. */
export function signatureOf(input: SignatureInput, props: SignatureProps): string {
  const className = props['db.signature.class'];
  const simple = className.slice(className.lastIndexOf('.') + 1).trim();
  if (simple === 'TextMD5Signature' && input.text !== '') return md5(input.text);
  if (simple === 'TextProfileSignature') {
    const profile = textProfile(input.text, props);
    if (profile !== '') return md5(profile);
  }
  return md5(input.content.length > 0 ? input.content : input.url);
}

function md5(data: string | Uint8Array): string {
  return createHash('md5').update(data).digest('hex');
}

const TOKEN = /[\p{L}\p{Nd}]+/gu;

/**
 * The profile: one line `token count` for each token, most frequent first, equal counts by token. The quantum is a share
 * of the highest count; counts are rounded down to it and smaller ones dropped, so a word seen once disappears as soon
 * as any word is seen twice.
 */
export function textProfile(
  text: string,
  props: Pick<SignatureProps, 'db.signature.text_profile.min_token_len' | 'db.signature.text_profile.quant_rate'>,
): string {
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
  kept.sort((a, b) => b[1] - a[1] || (a[0] < b[0] ? -1 : 1));
  return kept.map(([token, count]) => `${token} ${count}`).join('\n');
}

function tokenCounts(text: string, minLength: number): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [token] of text.toLowerCase().matchAll(TOKEN)) {
    if (token.length > minLength) counts.set(token, (counts.get(token) ?? 0) + 1);
  }
  return counts;
}
