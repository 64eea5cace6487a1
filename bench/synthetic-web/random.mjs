/** Random numbers and words that depend only on the seed: the same on every machine. */

const RANGE = 2 ** 32;
const SYLLABLES =
  'ba be bi bo bu da de di do du fa fe fi ga ge gi go ka ke ki ko la le li lo lu ma me mi mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo za zo'.split(
    ' ',
  );
const VOCABULARY = 6_000;

/** @typedef {() => number} Draw the next number in [0, 1) of a sequence */

export class Random {
  /** @param {number} seed */
  constructor(seed) {
    this.seed = seed;
    const draw = this.sequence(99);
    this.words = Array.from({ length: VOCABULARY }, () => {
      const syllables = 2 + Math.floor(draw() * 3.5);
      return Array.from({ length: syllables }, () => SYLLABLES[Math.floor(draw() * SYLLABLES.length)]).join('');
    });
  }

  /** A hash of the seed and some integers: 32 bits, unsigned. */
  mix(...numbers) {
    let hash = 2166136261 ^ this.seed;
    for (const number of numbers) {
      hash = Math.imul(hash ^ number, 16777619);
      hash = Math.imul(hash ^ (hash >>> 13), 0x5bd1e995);
      hash ^= hash >>> 15;
    }
    return hash >>> 0;
  }

  /** The same as a number in [0, 1). */
  share(...numbers) {
    return this.mix(...numbers) / RANGE;
  }

  /** An independent sequence of numbers for given integers (mulberry32). @returns {Draw} */
  sequence(...numbers) {
    let state = this.mix(...numbers) || 1;
    return () => {
      state = (state + 0x6d2b79f5) | 0;
      let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
      mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
      return ((mixed ^ (mixed >>> 14)) >>> 0) / RANGE;
    };
  }

  /** Few words are frequent, most are rare. */
  word(draw) {
    return this.words[Math.floor(draw() * draw() * this.words.length)];
  }

  sentence(draw) {
    const first = this.word(draw);
    const more = Array.from({ length: 5 + Math.floor(draw() * 16) }, () => ` ${this.word(draw)}`);
    return `${first[0].toUpperCase()}${first.slice(1)}${more.join('')}. `;
  }
}

/** Two hashes of a text, for Random.mix. @returns {[number, number]} */
export function hashesOf(text) {
  let [a, b] = [5381, 52711];
  for (let i = 0; i < text.length; i += 1) {
    const code = text.charCodeAt(i);
    a = (a * 33) ^ code;
    b = (b * 33) ^ code;
  }
  return [a >>> 0, b >>> 0];
}
