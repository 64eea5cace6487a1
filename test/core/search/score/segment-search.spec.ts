import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { MadeIndex, type Page, WEIGHTS } from './made-index.js';

/** BM25F with title coverage, computed independently from the words of the texts, one document at a time. */
function modelScores(pages: readonly Page[], query: readonly string[]): Map<number, number> {
  const words = (text: string | undefined) => (text ?? '').split(' ').filter((word) => word !== '');
  // The URL of the pages is http://h.test/<number>, its host h.test.
  const fields = pages.map(({ title, content }, i) => ({
    0: words(title),
    2: ['http', 'h', 'test', String(i)],
    3: ['h', 'test'],
    5: words(content),
  }));
  const used = [0, 2, 3, 5] as const;
  const average = (field: (typeof used)[number]) =>
    fields.reduce((sum, one) => sum + one[field].length, 0) / pages.length || 1;
  const scores = new Map<number, number>();
  const asked = [...new Set(query)];
  fields.forEach((one, doc) => {
    let sum = 0;
    for (const word of asked) {
      const df = fields.filter((other) => used.some((field) => other[field].includes(word))).length;
      const tf = used.reduce<number>((all, field) => {
        const count = one[field].filter((own) => own === word).length;
        return count === 0
          ? all
          : all + (WEIGHTS[field]! * count) / (0.25 + (0.75 * one[field].length) / average(field));
      }, 0);
      const weight = query.filter((other) => other === word).length;
      if (tf > 0)
        sum += weight * Math.log(1 + (pages.length - df + 0.5) / (df + 0.5)) ** 1.2 * ((tf * 2.2) / (1.2 + tf));
    }
    if (sum === 0) return;
    const m = asked.filter((word) => one[0].includes(word)).length;
    const covered = (m / asked.length) * Math.min(1, m / Math.max(1, one[0].length));
    const same = one[0].join(' ') === query.join(' ') ? 0.5 : 0;
    scores.set(doc, sum * (1 + 0.5 * covered + same) * (1 + 0.03 * Math.log(2)));
  });
  return scores;
}

const word = fc.constantFrom('alpha', 'beta', 'gamma', 'delta');
const text = fc.array(word, { maxLength: 8 }).map((all) => all.join(' '));
const page = fc.record({ title: text, content: text });

describe('search scores', () => {
  it('equal the formula, however documents are divided into segments', () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(page, { minLength: 1, maxLength: 6 }), { minLength: 1, maxLength: 3 }),
        fc.array(word, { minLength: 1, maxLength: 4 }),
        (parts, query) => {
          const found = new MadeIndex(parts).search(query.join(' '));
          const expected = modelScores(parts.flat(), query);
          expect([...found.keys()].sort((a, b) => a - b)).toEqual([...expected.keys()]);
          for (const [doc, score] of expected) expect(found.get(doc)).toBeCloseTo(score, 4);
        },
      ),
    );
  });

  it('are explained by factors whose product is the score', () => {
    const queries = [
      'alpha',
      'alpha beta^2',
      '"alpha beta" gamma',
      '+alpha -delta (beta OR gamma)^3',
      'al* title:beta',
      'alpha OR host:h.test',
      'host:h.test',
      'host:h.test -alpha',
    ];
    fc.assert(
      fc.property(fc.array(page, { minLength: 1, maxLength: 6 }), fc.constantFrom(...queries), (pages, query) => {
        const index = new MadeIndex([pages]);
        for (const [doc, score] of index.search(query)) {
          const explained = index.explain(query, doc);
          expect(explained.value).toBeCloseTo(score, 4);
          expect(explained.details.reduce((product, { value }) => product * value, 1)).toBeCloseTo(score, 4);
        }
      }),
    );
  });

  it('are explained with the form of words and their proximity', () => {
    const texts = fc.array(fc.constantFrom('ferry', 'ferries', 'timetable', 'timetables', 'winter'), { maxLength: 8 });
    const pages = fc.record({ title: texts.map((all) => all.join(' ')), content: texts.map((all) => all.join(' ')) });
    const queries = ['ferries timetables', 'ferry^2 (winter timetable)^3', '+ferries +title:timetables -winter'];
    fc.assert(
      fc.property(fc.array(pages, { minLength: 1, maxLength: 6 }), fc.constantFrom(...queries), (some, query) => {
        const index = new MadeIndex([some.map((one) => ({ ...one, lang: 'en' }))]);
        const gains = index.gains(query);
        for (const [doc, score] of index.search(query)) {
          expect(index.explain(query, doc).value).toBeCloseTo(score, 4);
          const [words, title, prior] = index.explain(query, doc, true).details;
          expect(words!.value * title!.value * prior!.value).toBeCloseTo(
            score + (gains.get(doc) ?? 0) * title!.value * prior!.value,
            4,
          );
        }
      }),
    );
  });

  it('do not fall with the length of anchors, which grows with the number of inlinks', () => {
    const linked = { anchor: ['ferry', ...Array.from({ length: 20 }, (_, i) => `boats ${i}`)] };
    const others = Array.from({ length: 8 }, () => ({ content: 'boats' }));
    const index = new MadeIndex([[linked, { content: 'ferry' }, ...others]]);
    expect(index.order('ferry')).toEqual([0, 1]);
  });

  it('are higher for the form of a word that was typed', () => {
    const texts = ['a ferry sails', 'a ferries sails', 'ferrying sails'].map((content) => ({ content, lang: 'en' }));
    const index = new MadeIndex([texts]);
    expect(index.order('ferries')[0]).toBe(1);
    expect(index.order('ferrying')[0]).toBe(2);
    expect(index.matching('ferries')).toEqual([0, 1, 2]);
    // Its own stem is any form of it.
    const [one, other] = index.search('sails').values();
    expect(one).toBe(other);
  });

  it('are higher for a document or a title with a boost', () => {
    const same = { title: 'alpha', content: 'beta' };
    const index = new MadeIndex([[same, { ...same, boost: 20 }, { ...same, titleBoost: 3 }]]);
    expect(index.order('alpha').at(-1)).toBe(0);
  });
});

describe('a search query', () => {
  const pages: Page[] = [
    {
      title: 'Night ferry',
      content: 'the ferry to the islands sails at night',
      lang: 'en',
      date: '2026-01-31',
      batch: ['20260131093000', '1769850000-4711'],
    },
    { title: 'Trains', content: 'trains go by day, the ferry by night', lang: 'en', type: 'text/html' },
    { title: 'Fähren', content: 'die Fähre fährt nachts', lang: 'de', url: 'http://www.boote.test/a' },
    {
      title: 'Boats',
      content: 'running boats',
      headings: ['Night'],
      anchor: ['by sea'],
      lang: 'en',
      type: 'application/pdf',
      batch: ['20260201093000', 'other'],
    },
  ];
  const index = new MadeIndex([pages.slice(0, 2), pages.slice(2)]);

  it.each<[query: string, matching: number[]]>([
    ['ferries', [0, 1]],
    ['ferry trains', [0, 1]],
    ['+ferry trains', [0, 1]],
    ['ferry AND trains', [1]],
    ['ferry -trains', [0]],
    ['night NOT ferry', [3]],
    ['(trains OR boats) night', [0, 1, 3]],
    ['+(trains OR boats) +night', [1, 3]],
    ['"night ferry"', [0]],
    ['"ferry night"', []],
    ['"ferry by night"', [1]],
    ['"sails night"', []],
    ['"sails night"~1', [0]],
    ['"by sea"', [3]],
    ['run*', [3]],
    ['runn*', [3]],
    ['fer*', [0, 1]],
    ['title:night', [0]],
    ['headings:night', [3]],
    ['anchor:sea', [3]],
    ['Fähren', [2]],
    ['lang:en', [0, 1, 3]],
    ['site:boote.test', [2]],
    ['site:test', [0, 1, 2, 3]],
    ['host:boote.test', []],
    ['host:www.boote.test', [2]],
    ['type:application/pdf', [3]],
    ['date:2026-01-01..2026-01-31', [0]],
    ['ferry site:h.test -lang:de', [0, 1]],
    ['segment:20260131093000', [0]],
    ['segment:1769850000-4711', [0]],
    ['segment:other', [3]],
    ['the', []],
    ['-ferry', []],
    ['nothing', []],
  ])('%s finds %j', (query, matching) => expect(index.matching(query)).toEqual(matching));

  it.each<[query: string, matching: number[]]>([
    ['"ferry timetable"', [0, 1]],
    ['"timetable daily"', [1]],
    ['"timetable daily"~3', [0, 1]],
    ['"daily departures"', [0, 1]],
  ])(
    'leaves one position between the title, the first line of the content, and the text: %s finds %j',
    (query, matching) => {
      const content = 'Ferry timetable\ndaily departures';
      const made = new MadeIndex([
        [
          { title: 'Ferry timetable', content },
          { title: 'Ferry timetables', content },
        ],
      ]);
      expect(made.matching(query)).toEqual(matching);
    },
  );

  it('ranks the document first whose title it equals', () => expect(index.order('night ferry')[0]).toBe(0));

  it('ranks a title equal character by character before others of the same words', () => {
    const titles = ['Release 1.2.1', 'Release: 1.1.2', 'Release 1.1.2', 'Release 2.1.1'];
    const releases = new MadeIndex([titles.map((title) => ({ title, content: 'notes' }))]);
    expect(titles.map((title) => releases.order(title)[0])).toEqual([0, 1, 2, 3]);
    expect(releases.order('  release  1.1.2 ')[0]).toBe(2);
  });

  it.each([
    ['remove_extent', ['std::remove_all_extents - Reference', 'std::remove_extent - Reference'], 'std::remove_extent'],
    ['try_lock_for', ['try_lock | C++', 'try_lock_for | C++'], 'try_lock_for'],
    ['String functions', ['9.5. Binary String Functions', '9.4. String Functions'], 'string functions'],
    ['open(2)', ['Opens', 'openat(2)', 'open(2)'], 'open'],
  ])('ranks a title with a part that is the query before others of the same words: %s', (_, titles, query) => {
    const content = titles.join(' ');
    const made = new MadeIndex([titles.map((title) => ({ title, content, lang: 'en' }))]);
    expect(made.order(query)[0]).toBe(titles.length - 1);
  });

  it('ranks a title before longer ones of which it is a part', () => {
    const titles = ['Ferries - Harbour', 'Harbour', 'Harbour - Ferries'];
    const made = new MadeIndex([titles.map((title) => ({ title, content: 'harbour' }))]);
    expect(made.order('harbour')[0]).toBe(1);
  });

  it('does not rank pages higher by the name of their site, which is a part of more than twenty titles', () => {
    const factorOf = (pages: number): number => {
      const made = new MadeIndex([Array.from({ length: pages }, (_unused, n) => ({ title: `Page${n} - Islands` }))]);
      return made.explain('islands', 0).details[1]!.value;
    };
    expect([factorOf(20), factorOf(21)]).toEqual([1.75, 1.25]);
  });
});

describe('a query of stop words alone', () => {
  const pages: Page[] = [
    { title: 'for - Reference', content: 'for ferries', lang: 'en' },
    { title: 'The Who', content: 'the who sail', lang: 'en' },
    { title: 'who(1)', content: 'who sails', lang: 'en' },
    { title: 'About the ferry', content: 'who sails for whom', lang: 'en' },
  ];
  const index = new MadeIndex([pages.slice(0, 2), pages.slice(2)]);

  it.each<[query: string, matching: number[]]>([
    ['for', [0]],
    ['the who', [1]],
    ['Who', [2]],
    ['for the', []],
    ['title:for', []],
    ['-for', []],
  ])('finds the pages with this title: %s finds %j', (query, matching) =>
    expect(index.matching(query)).toEqual(matching),
  );

  it('explains their score', () => {
    expect(index.explain('the who', 1).value).toBeCloseTo(index.search('the who').get(1)!, 4);
  });
});

it('a note says that only the first words of a long phrase were searched for', () => {
  const words = Array.from({ length: 18 }, (_, n) => `word${n}`);
  const index = new MadeIndex([[{ content: words.join(' ') }]]);
  const note = 'Of a phrase only the first 16 words were searched for.';
  expect(index.plan(`"${words.join(' ')}"`).notes).toEqual([note]);
  expect(index.plan(`"${words.slice(0, 16).join(' ')}"`).notes).toEqual([]);
  expect(index.order(`"${words.slice(0, 16).join(' ')} other"`)).toEqual([0]);
});
