import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MadeIndex } from './made-index.js';

/** Büttcher's sums, place by place over the words of a text. */
function modelGain(texts: readonly string[][], doc: number, query: readonly string[]): number {
  const asked = [...new Set(query)];
  const weightOf = (word: string) => query.filter((other) => other === word).length;
  const idf = (word: string) => {
    const df = texts.filter((text) => text.includes(word)).length;
    return Math.log(1 + (texts.length - df + 0.5) / (df + 0.5)) ** 1.2;
  };
  const text = texts[doc]!;
  const average = texts.reduce((sum, { length }) => sum + length, 0) / texts.length || 1;
  const places = text.flatMap((word, at) => (asked.includes(word) ? [{ word, at }] : []));
  return asked.reduce((all, word) => {
    const a = places.reduce((sum, place, i) => {
      const beside = [places[i - 1], places[i + 1]].filter((other) => other !== undefined && other.word !== word);
      if (place.word !== word) return sum;
      return sum + beside.reduce((each, other) => each + idf(other!.word) / (other!.at - place.at) ** 2, 0);
    }, 0);
    const norm = 1.2 * (0.25 + (0.75 * text.length) / average);
    return all + (weightOf(word) * Math.min(1, idf(word)) * a * 2.2) / (a + norm);
  }, 0);
}

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta', 'omega');
const text = fc.array(word, { maxLength: 10 });
const english = (content: string) => ({ content, lang: 'en' });
/** Numbers of the documents, those that gain most first. */
const order = (index: MadeIndex, query: string) =>
  [...index.gains(query)].sort(([a, x], [b, y]) => y - x || a - b).map(([doc]) => doc);

describe('what documents gain by words that stand near each other', () => {
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
    expect(side! > one! && one! > two! && two! > 0).toBe(true);
    expect([turned, alone]).toEqual([side, 0]);
  });

  it('is of the text: neither of titles nor of fields that are named', () => {
    const index = new MadeIndex([[{ title: 'ferry timetable' }, { content: 'ferry timetable' }, { content: 'boats' }]]);
    expect(order(index, 'ferry timetable')[0]).toBe(1);
    expect(index.gains('ferry timetable').get(0)).toBe(0);
    expect([...index.gains('title:ferry timetable').values()]).toEqual([]);
  });

  it('is none of words that are excluded, of one word, of phrases and of words that weigh nothing', () => {
    const index = new MadeIndex([[{ content: 'ferry timetable' }, { content: 'boats' }]]);
    for (const query of ['ferry', 'ferry -timetable', '"ferry timetable"', 'ferry "timetable boats"'])
      expect([...index.gains(query).values()]).toEqual([]);
    expect(index.gains('ferry^0 timetable^0').get(0)).toBe(0);
  });

  it('grows with the weights of words and of brackets', () => {
    const index = new MadeIndex([[{ content: 'ferry timetable' }, { content: 'boats' }]]);
    const plain = index.gains('ferry timetable').get(0)!;
    expect(index.gains('ferry^2 timetable^2').get(0)).toBeCloseTo(2 * plain, 6);
    expect(index.gains('(ferry timetable)^3 winter').get(0)).toBeCloseTo(3 * plain, 6);
  });
});
