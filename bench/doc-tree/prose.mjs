/** Words, names and sentences for pages of documentation, by a seed. */
import { Random } from '../synthetic-web/random.mjs';

const random = new Random(1);
const REFERENCES = [
  '&amp;',
  '&lt;',
  '&gt;',
  '&quot;',
  '&copy;',
  '&nbsp;',
  '&#8212;',
  '&#x2026;',
  '&eacute;',
  '&hellip',
];

export class Prose {
  /** @param {number[]} seed integers; the same give the same text */
  constructor(...seed) {
    this.draw = random.sequence(...seed);
  }

  /** An integer from `min` to `max`. */
  int(min, max) {
    return min + Math.floor(this.draw() * (max - min + 1));
  }

  chance(share) {
    return this.draw() < share;
  }

  /** @template T @param {readonly T[]} values @returns {T} */
  pick(values) {
    return values[Math.floor(this.draw() * values.length)];
  }

  word() {
    return random.word(this.draw);
  }

  /** Words in CamelCase. */
  name(words = 2) {
    const parts = Array.from({ length: words }, () => this.word());
    return parts.map((word) => word[0].toUpperCase() + word.slice(1)).join('');
  }

  sentence() {
    const text = random.sentence(this.draw);
    return this.chance(0.2) ? text.replace(' ', ` ${this.pick(REFERENCES)} `) : text;
  }

  text(sentences) {
    return this.list(sentences, () => this.sentence()).trim();
  }

  /** The joined results of several calls of `make`. @param {(index: number) => string} make */
  list(count, make, between = '') {
    return Array.from({ length: count }, (_, index) => make(index)).join(between);
  }
}

/** Names that differ, in alphabetical order. */
export function namesOf(prose, count, words = 2) {
  const names = new Set();
  while (names.size < count) names.add(prose.name(words));
  return [...names].sort();
}
