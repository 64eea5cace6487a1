/**
 * Whether the pages of one template are near duplicates of each other.
 *
 * Of each template a few fingerprints are kept as samples. A new page that is near one of them adds nothing; one that is
 * near none becomes a sample itself while there are fewer than `MAX_SAMPLES`. A template most of whose pages added nothing, after enough of
 * them were seen, is stopped.
 */
import { hammingDistance } from '../page/simhash.js';

/** What is remembered of a template. */
export interface TemplateTally {
  readonly seen: number;
  /** Of these, pages that were near a sample. */
  readonly similar: number;
  /** Fingerprints in hex, at most `MAX_SAMPLES`. */
  readonly samples: readonly string[];
}

export const MAX_SAMPLES = 16;
const simHashShape = /^[0-9a-f]{16}$/;

/**
 * The tally with further pages.
 * @param bits two fingerprints of 64 bits (SimHash) are near when they differ in at most so many; others when equal
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
  return simHashShape.test(a) && simHashShape.test(b) && hammingDistance(a, b) <= bits;
}

/** Whether so many pages were seen, and such a share of them was similar. */
export const isMonotonous = ({ seen, similar }: TemplateTally, after: number, fraction: number): boolean =>
  after >= 0 && seen >= Math.max(1, after) && similar >= fraction * seen;
