import { createHash } from 'node:crypto';

/**
 * Letters and digits that no compression makes shorter, the same at each run: PostgreSQL compresses long values of an
 * index first, so that a repeated word would fit into any.
 */
export function incompressible(seed: string, length: number): string {
  let text = '';
  for (let i = 0; text.length < length; i++) text += createHash('sha512').update(`${seed} ${i}`).digest('base64');
  return text.replaceAll(/[+/=]/g, '7').slice(0, length);
}

/** A host name of so many labels of 62 characters, and `.com`. */
export const longHost = (labels: number): string =>
  [...Array.from({ length: labels }, (_, i) => incompressible(String(i), 62).toLowerCase()), 'com'].join('.');
