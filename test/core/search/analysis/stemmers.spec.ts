import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bulgarian } from '../../../../src/core/search/analysis/bulgarian.js';
import { english } from '../../../../src/core/search/analysis/english.js';
import { rulesOf } from '../../../../src/core/search/analysis/languages.js';
import { type TestDatabase, testDatabase } from '../../../support/database.js';

/** PostgreSQL has Snowball's stemmers as well, made from the same algorithms by another compiler. */
let db: TestDatabase;
beforeAll(async () => {
  db = await testDatabase();
});
afterAll(() => db.drop());

const CODES = 'ar bg da de el en es fi fr ga hi hu hy id it lt ne nl no pt ro ru sr sv ta tr uk'.split(' ');

interface Lexized {
  word: string;
  /** Empty for a stop word. */
  stems: string[];
}

const lexize = (dictionary: string, words: string[]) =>
  db.query<Lexized>('select word, ts_lexize($1, word) as stems from unnest($2::text[]) as word', [dictionary, words]);

const ROOTS =
  'add adopt agree allow appl argu arrow author beauti befor bel bless bus cat cement commun conflat consign control cr cry danger decid die dog dry ' +
  'egg electric err exce fall feed fe fil form gener gentl gl happ hop hopp hous idl inn inn ion king kn last li lov luxur mat mult nat new no oper over own ' +
  'pl play poss proceed quer radical ration reli roll run sens shr sing sk skat sky small stat succe sweet tan tap tr true ty us valu vex vil yell';
const SUFFIXES =
  ' e s es ed ing y ly er ies ied eed eedly edly ingly ation ations ational ational tional izer ization ator alism aliti alli ality fulness ousness ' +
  'ousli iveness iviti ivity biliti bility ble bly logi ology fulli fully lessli lessly entli enci ency anci ance icate ative alize iciti ical ful ness ' +
  'ement ment ent ance ible able ant ism ate iti ous ive ize sion tion ion al ic ll ess us ss ying';

describe('the stemmer for English', () => {
  it('gives biologist and biology the same stem', () => {
    expect([english('biologist'), english('biology')]).toEqual(['biolog', 'biolog']);
  });

  it('returns the stems of PostgreSQL for roots with all suffixes', async () => {
    const words = ROOTS.split(' ').flatMap((root) => SUFFIXES.split(' ').map((suffix) => root + suffix));
    const stemmed = (await lexize('english_stem', [...new Set(words)])).filter(({ stems }) => stems.length > 0);
    expect(stemmed.length).toBeGreaterThan(6_000);
    expect(stemmed.map(({ word }) => [word, english(word)])).toEqual(
      stemmed.map(({ word, stems: [stem] }) => [word, stem]),
    );
  });

  it.each([
    ['university', 'universiti', 'universe', 'univers'],
    ['organization', 'organiz', 'organ', 'organ'],
    ['internal', 'internal', 'intern', 'intern'],
    ['emergency', 'emergenc', 'emerge', 'emerg'],
    ['paste', 'paste', 'past', 'past'],
  ])('distinguishes %s (%s) from %s (%s), as Snowball does since version 3', (a, stemOfA, b, stemOfB) => {
    expect([english(a), english(b)]).toEqual([stemOfA, stemOfB]);
  });
});

describe('the stemmer for Bulgarian', () => {
  it.each([
    ['град градът градове градовете', 'град'],
    ['вестник вестника вестници вестниците', 'вестник'],
    ['красив красива красивия красивият', 'красив'],
    ['стол столове', 'стол'],
    ['подлог подлози', 'подлог'],
    ['кожух кожуси', 'кожух'],
    ['бряг брегът', 'бряг брег'],
    ['студен студена', 'студн'],
    ['голям големи', 'голям'],
    ['театър театри', 'театр'],
    ['селище селища', 'селищ сел'],
    ['лъв', 'лъв'],
  ])('%s: %s', (forms, stems) => {
    expect([...new Set(forms.split(' ').map((form) => bulgarian(form)))].join(' ')).toBe(stems);
  });
});

describe('stemmers for other languages', () => {
  it.each([
    ['da', 'danish', 'bådene havnens sejlede', 'båd havn sejled'],
    ['de', 'german', 'häuser fahrten schönheiten', 'haus fahrt schonheit'],
    ['es', 'spanish', 'canciones rápidamente niños', 'cancion rapid niñ'],
    ['fi', 'finnish', 'taloissa kirjojen', 'talo kirj'],
    ['fr', 'french', 'chevaux continuellement', 'cheval continuel'],
    ['hu', 'hungarian', 'házakban könyveket', 'ház könyv'],
    ['it', 'italian', 'velocemente canzoni', 'veloc canzon'],
    ['nl', 'dutch', 'huizen lopende', 'huiz lopend'],
    ['no', 'norwegian', 'båtene havnens', 'båt havn'],
    ['pt', 'portuguese', 'rapidamente canções', 'rapid cançõ'],
    ['ro', 'romanian', 'copiilor frumoase', 'cop frumoas'],
    ['ru', 'russian', 'корабли гаванями', 'корабл гаван'],
    ['sv', 'swedish', 'båtarna hamnens', 'båt hamn'],
    ['tr', 'turkish', 'evlerimizden kitaplar', 'ev kitap'],
  ])('%s: the stems of %s_stem in PostgreSQL for %s', async (code, dictionary, words, stems) => {
    const { stem } = rulesOf(code);
    const ours = words.split(' ').map((word) => stem!(word));
    const theirs = await lexize(`${dictionary}_stem`, words.split(' '));
    expect(ours).toEqual(theirs.map((each) => each.stems[0]));
    expect(ours.join(' ')).toBe(stems);
  });

  it.each(['ar', 'bg', 'el', 'ga', 'hi', 'hy', 'id', 'lt', 'ne', 'sr', 'ta', 'uk'])('%s has a stemmer', (code) => {
    expect(rulesOf(code).stem!('a')).toBeTypeOf('string');
  });

  it('none throws, whatever the letters of a word', () => {
    let state = 7;
    const random = (below: number): number => {
      state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
      return Math.floor((state / 2 ** 32) * below);
    };
    const scripts = ['az', 'àſ', 'αώ', 'ађ', 'աև', 'ءي', 'अॿ', 'அஹ'].map((ends) =>
      [...ends].map((c) => c.codePointAt(0)!),
    );
    const words = scripts.flatMap(([from, to]) =>
      Array.from({ length: 3_000 }, () =>
        String.fromCodePoint(...Array.from({ length: 1 + random(9) }, () => from! + random(to! - from! + 1))),
      ),
    );
    for (const code of CODES) {
      const { stem } = rulesOf(code);
      expect(() => words.forEach((word) => stem!(word)), code).not.toThrow();
    }
  });

  it.each(['zz', 'constructor', '__proto__', ''])('%j has no stemmer and no stop words', (code) => {
    expect(rulesOf(code)).toEqual({ stem: null, stopWords: new Set(), letters: '' });
  });
});
