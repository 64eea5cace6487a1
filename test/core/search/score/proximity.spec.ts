import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MadeIndex } from './made-index.js';

/** The sums of neighbours, of the best passage and of the start, one by one over the words of a text. */
function modelGain(texts: readonly string[][], doc: number, query: readonly string[]): number {
  const asked = [...new Set(query)];
  const weightOf = (word: string) => query.filter((other) => other === word).length;
  const idf = (word: string) => {
    const df = texts.filter((text) => text.includes(word)).length;
    return Math.log(1 + (texts.length - df + 0.5) / (df + 0.5)) ** 1.2;
  };
  const text = texts[doc]!;
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length || 1;
  const occurrences = text.flatMap((word, at) => (asked.includes(word) ? [{ word, at }] : []));
  const worth = (words: readonly string[]) => words.reduce((sum, one) => sum + weightOf(one) * idf(one), 0);
  const passages = occurrences.map(({ at: from }) =>
    worth(asked.filter((one) => occurrences.some(({ word: own, at }) => own === one && at >= from && at <= from + 15))),
  );
  const passage = asked.length < 2 ? 0 : Math.max(0, ...passages) ** 4 / worth(asked) ** 3;
  return asked.reduce((all, word) => {
    const a = occurrences.reduce((sum, occurrence, i) => {
      const beside = [occurrences[i - 1], occurrences[i + 1]].filter(
        (other) => other !== undefined && other.word !== word,
      );
      if (occurrence.word !== word) return sum;
      return sum + beside.reduce((each, other) => each + idf(other!.word) / (other!.at - occurrence.at) ** 2, 0);
    }, 0);
    const norm = 1.2 * (0.25 + (0.75 * text.length) / average);
    const first = text.indexOf(word);
    const start = first < 0 ? 0 : (0.8 * worth([word])) / (1 + first / 20);
    return all + (0.5 * weightOf(word) * Math.min(1, idf(word)) * a * 2.2) / (a + norm) + start;
  }, passage);
}

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'omega');
/** Longer than a passage, with words that no query has. */
const text = fc.array(fc.oneof(word, { arbitrary: fc.constant('other'), weight: 4 }), { maxLength: 40, size: 'max' });
const english = (content: string) => ({ content, lang: 'en' });
/** Numbers of the documents, those that gain most first. */
const order = (index: MadeIndex, query: string) =>
  [...index.gains(query)].sort(([a, x], [b, y]) => y - x || a - b).map(([doc]) => doc);

describe('what documents gain by the occurrences of words', () => {
  it('is that of the formula, however documents are divided into segments', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 3 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        (parts, query) => {
          const pages = parts.map((texts) => texts.map((words) => ({ content: words.join(' ') })));
          const gains = new MadeIndex(pages).gains(query.join(' '));
          const texts = parts.flat();
          for (const doc of texts.keys()) expect(gains.get(doc) ?? 0).toBeCloseTo(modelGain(texts, doc, query), 6);
        },
      ),
    );
  });

  it('falls with the words between them, stop words among these', () => {
    const texts = [
      'ferry timetable',
      'ferry and timetable',
      'ferry and the timetable',
      'timetable ferry',
      'ferry boat',
    ];
    const index = new MadeIndex([texts.map((content) => english(`${content} of two small islands`))]);
    const [side, one, two, turned, alone] = [0, 1, 2, 3, 4].map((doc) => index.gains('ferry timetable').get(doc)!);
    expect(side! > one! && one! > two! && two! > alone!).toBe(true);
    expect(turned! > two!).toBe(true);
  });

  it('is more for one passage with all words than for passages with some of them each', () => {
    const gap = (words: number) => Array.from({ length: words }, (_, i) => `w${i}`).join(' ');
    const texts = [
      `${gap(60)} ferry ${gap(6)} harbour ${gap(6)} winter ${gap(20)}`,
      `${gap(60)} ferry ${gap(6)} harbour ${gap(20)} winter ${gap(6)}`,
      `${gap(60)} ferry ${gap(20)} harbour ${gap(12)} winter`,
    ];
    expect(order(new MadeIndex([texts.map((content) => ({ content }))]), 'ferry harbour winter')).toEqual([0, 1, 2]);
  });

  it('is more for words at the start of a text', () => {
    const gap = Array.from({ length: 30 }, (_, i) => `w${i}`).join(' ');
    const texts = [`${gap} ferry harbour ${gap}`, `ferry harbour ${gap} ${gap}`, 'boats'];
    expect(order(new MadeIndex([texts.map((content) => ({ content }))]), 'ferry harbour')).toEqual([1, 0, 2]);
  });

  it('is of the text: neither of titles nor of fields that are named', () => {
    const index = new MadeIndex([[{ title: 'ferry timetable' }, { content: 'ferry timetable' }, { content: 'boats' }]]);
    expect(order(index, 'ferry timetable')[0]).toBe(1);
    expect(index.gains('ferry timetable').get(0)).toBe(0);
    expect(index.gains('title:ferry timetable')).toEqual(index.gains('timetable'));
  });

  it('is none of words that are excluded, of phrases and of words that weigh nothing', () => {
    const index = new MadeIndex([[{ content: 'ferry timetable' }, { content: 'boats' }]]);
    expect([...index.gains('"ferry timetable"').values()]).toEqual([]);
    const alone = index.gains('ferry');
    for (const query of ['ferry -timetable', 'ferry "timetable boats"']) expect(index.gains(query)).toEqual(alone);
    expect(index.gains('ferry^0 timetable^0').get(0)).toBe(0);
  });

  it('is of one word only its occurrence', () => {
    const index = new MadeIndex([[{ content: 'boats of a ferry' }, { content: 'ferry' }, { title: 'ferry' }]]);
    const [late, early, none] = [0, 1, 2].map((doc) => index.gains('ferry').get(doc)!);
    expect(early! / late!).toBeCloseTo(1 + 3 / 20, 10);
    expect(none).toBe(0);
  });

  it('grows with the weights of words and of brackets', () => {
    const index = new MadeIndex([[{ content: 'ferry timetable' }, { content: 'boats' }]]);
    const plain = index.gains('ferry timetable').get(0)!;
    expect(index.gains('ferry^2 timetable^2').get(0)).toBeCloseTo(2 * plain, 6);
    expect(index.gains('(ferry timetable)^3').get(0)).toBeCloseTo(3 * plain, 6);
  });
});
