/**
 * Detects templates whose pages are near duplicates of each other.
 *
 * A few signatures of each template are kept as samples. A page counts as similar if it is near one of them; otherwise
 * it becomes a sample, up to `MAX_SAMPLES`. A template is stopped when enough pages were seen and most of them were
 * similar.
 */
import { hammingDistance } from '../page/simhash.js';

/** The counts and samples of a template. */
export interface TemplateTally {
  readonly seen: number;
  /** Number of these that were near a sample. */
  readonly similar: number;
  /** Signatures in hex, at most `MAX_SAMPLES`. */
  readonly samples: readonly string[];
}

export const MAX_SAMPLES = 16;
const SIM_HASH_SHAPE = /^[0-9a-f]{16}$/;

/**
 * The tally with further pages.
 * @param bits two signatures of 64 bits (SimHash) are near if they differ in at most this many bits; others if equal
 */
export function tallied(tally: TemplateTally, signatures: readonly string[], bits: number): TemplateTally {
  let { seen, similar } = tally;
  const samples = [...tally.samples];
  for (const signature of signatures) {
    seen++;
    if (samples.some((sample) => isNear(sample, signature, bits))) similar++;
    else if (samples.length < MAX_SAMPLES) samples.push(signature);
  }
  return { seen, similar, samples };
}

function isNear(a: string, b: string, bits: number): boolean {
  if (a === b) return true;
  return SIM_HASH_SHAPE.test(a) && SIM_HASH_SHAPE.test(b) && hammingDistance(a, b) <= bits;
}

/** Whether at least `after` pages were seen, and at least `fraction` of them were similar. */
export const isMonotonous = ({ seen, similar }: TemplateTally, after: number, fraction: number): boolean =>
  after >= 0 && seen >= Math.max(1, after) && similar >= fraction * seen;
