/**
 * SimHash: a fingerprint of 64 bits, similar for similar texts (Charikar 2002; Manku, Jain and Das Sarma 2007).
 *
 * Every run of three words (a shingle) votes with the bits of its hash for each bit of the fingerprint; the majority
 * wins. A changed word changes three votes of many, so texts that differ little differ in few bits. The distance of two
 * fingerprints is the number of bits in which they differ; DEDUP treats pages up to a given distance as duplicates.
 */
import { WORDS } from '../words.js';
import { type Signature, md5Signature } from './signature.js';

const SHINGLE = 3;
/** Words read at most: two megabytes of text. */
const MAX_WORDS = 400_000;

/** 16 hex digits of the text; of a page without words the first 16 digits of its MD5 signature. */
export const simHashSignature: Signature = (page) => simHash(page.text) ?? md5Signature(page).slice(0, 16);

/** 16 hex digits; null for a text without words. Linear in the length of the text. */
export function simHash(text: string): string | null {
  const votes = new Int32Array(64);
  const hashes: [number, number][] = [];
  let words = 0;
  for (const [word] of text.toLowerCase().matchAll(WORDS)) {
    if (++words > MAX_WORDS) break;
    hashes.push(wordHash(word));
    if (hashes.length > SHINGLE) hashes.shift();
    if (hashes.length === SHINGLE) vote(votes, hashes);
  }
  if (words === 0) return null;
  if (words < SHINGLE) vote(votes, hashes);
  return fingerprint(votes);
}

/** Bits in which two fingerprints of 16 hex digits differ. */
export function hammingDistance(a: string, b: string): number {
  const half = (from: number): number => parseInt(a.slice(from, from + 8), 16) ^ parseInt(b.slice(from, from + 8), 16);
  return bitsIn(half(0)) + bitsIn(half(8));
}

/** How many bits of 32 are set. */
export function bitsIn(value: number): number {
  let v = value - ((value >>> 1) & 0x55555555);
  v = (v & 0x33333333) + ((v >>> 2) & 0x33333333);
  return (((v + (v >>> 4)) & 0x0f0f0f0f) * 0x01010101) >>> 24;
}

export const isSimHash = (signature: string): boolean => signature.length === 16;

/** Fingerprints that differ in at most this many bits can be found by their bands. */
export const MAX_DISTANCE = 7;
const BANDS = 4;
const BAND_BITS = 16;

/** The four bands of a fingerprint, by which it is indexed: the number of the band and its 16 bits in hex. */
export function bandsOf(signature: string): string[] {
  return Array.from({ length: BANDS }, (_, at) => `${at}${signature.slice(at * 4, at * 4 + 4)}`);
}

/**
 * The bands by which every fingerprint within this distance (0 to 7) is found. Of four bands one has at most a quarter of
 * the differing bits: none up to a distance of 3, one up to 7. So probe the bands, and from 4 also all that differ in a bit.
 */
export function probesOf(signature: string, distance: number): string[] {
  const bands = bandsOf(signature);
  if (distance < BANDS) return bands;
  const bits = Array.from({ length: BAND_BITS }, (_, bit) => 1 << bit);
  const near = bands.flatMap((band) => {
    const value = parseInt(band.slice(1), 16);
    return bits.map((bit) => band[0]! + (value ^ bit).toString(16).padStart(4, '0'));
  });
  return [...bands, ...near];
}

/** Two 32-bit FNV-1a hashes of a word, from different starts. */
export function wordHash(word: string): [number, number] {
  let high = 0x811c9dc5;
  let low = 0x01000193;
  for (let i = 0; i < word.length; i++) {
    const unit = word.charCodeAt(i);
    high = Math.imul(high ^ unit, 0x01000193);
    low = Math.imul(low ^ unit, 0x85ebca6b);
  }
  return [high, low];
}

/** The hash of a shingle depends on its words and their order; its bits are mixed, as similar words have similar hashes. */
function vote(votes: Int32Array, hashes: readonly (readonly [number, number])[]): void {
  let high = 0;
  let low = 0;
  for (const [a, b] of hashes) {
    high = mixed(Math.imul(high, 31) ^ a);
    low = mixed(Math.imul(low, 37) ^ b);
  }
  for (let bit = 0; bit < 32; bit++) {
    votes[bit]! += (high >>> bit) & 1 ? 1 : -1;
    votes[bit + 32]! += (low >>> bit) & 1 ? 1 : -1;
  }
}

/** The finalizer of MurmurHash3: every bit of the input flips half of the output bits on average. */
export function mixed(value: number): number {
  let h = value;
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return h ^ (h >>> 16);
}

function fingerprint(votes: Int32Array): string {
  let hex = '';
  for (let digit = 0; digit < 64; digit += 4) {
    let value = 0;
    for (let bit = 0; bit < 4; bit++) if (votes[digit + bit]! > 0) value |= 1 << bit;
    hex += value.toString(16);
  }
  return hex;
}
