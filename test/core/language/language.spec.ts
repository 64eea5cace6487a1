import { describe, expect, it } from 'vitest';
import { declaredLanguage, primaryLanguage } from '../../../src/core/language/declared-language.js';
import { documentLanguage } from '../../../src/core/language/document-language.js';
import { identifiedLanguage } from '../../../src/core/language/identified-language.js';

describe('the primary language of a tag', () => {
  it.each([
    ['en', 'en'],
    ['en-US', 'en'],
    [' DE_at ', 'de'],
    ['fr, en', 'fr'],
    ['ast', 'ast'],
    ['und', null],
    ['mul', null],
    ['english', null],
    ['', null],
    ['x-klingon', null],
  ])('of %j is %j', (tag, code) => {
    expect(primaryLanguage(tag)).toBe(code);
  });
});

describe('the language that a page declares', () => {
  const facts = (...values: string[]) => ({
    metatags: new Map([['dc.language', values]]),
    headings: new Map(),
    jsonLd: [],
    alternates: [],
    images: [],
  });
  it.each<[string, Parameters<typeof declaredLanguage>[0], string | null, string | null]>([
    [
      'is that of the html element or content-language first',
      { metadata: { language: 'it' }, facts: facts('fr') },
      'de',
      'it',
    ],
    ['is that of Dublin Core next', { metadata: {}, facts: facts('fr') }, 'de', 'fr'],
    ['is that of the header last', { metadata: {}, facts: facts() }, 'de-DE, en', 'de'],
    ['skips a value that is not a language', { metadata: { language: '???' } }, 'de', 'de'],
    ['is that of dc:language for a PDF', { metadata: { 'dc:language': 'sv-SE' } }, null, 'sv'],
    ['is null when nothing declares it', { metadata: {} }, null, null],
  ])('%s', (_, parsed, header, code) => {
    expect(declaredLanguage(parsed, header)).toBe(code);
  });
});

describe('the language identified in a text', () => {
  it.each([
    ['en', 'The crawler is judged by a thousand small decisions: is this the same address, may I fetch it?'],
    ['de', 'Der Hund läuft über die Straße und bellt, weil er die Katze auf der anderen Seite gesehen hat.'],
    ['fr', 'Le robot est jugé sur mille petites décisions : est-ce la même adresse, puis-je la chercher ?'],
    ['es', 'El rastreador se juzga por mil pequeñas decisiones: es la misma dirección, puedo buscarla.'],
    ['it', 'Il crawler è giudicato da mille piccole decisioni: è lo stesso indirizzo, posso prenderlo.'],
    ['nl', 'De crawler wordt beoordeeld op duizend kleine beslissingen: is dit hetzelfde adres.'],
    ['pl', 'Robot oceniany jest na podstawie tysiąca małych decyzji: czy to ten sam adres, czy mogę go pobrać.'],
    ['ru', 'Поисковый робот оценивается по тысяче мелких решений: тот же ли это адрес, можно ли его загрузить.'],
    ['ja', 'クローラーは無数の小さな判断によって評価されます。これは同じアドレスですか。'],
    ['zh', '爬虫由一千个小决定来评判：这是同一个地址吗，我可以获取它吗。'],
    ['ar', 'يتم الحكم على الزاحف من خلال ألف قرار صغير: هل هذا هو نفس العنوان'],
  ])('%s', async (code, text) => {
    expect(await identifiedLanguage(text, 2_048, true)).toBe(code);
  });

  it.each([
    '',
    '   ',
    '1 2 3',
    '$$$',
    'function foo(a,b){ return a+b; } const x = new Map(); for (let i=0;i<10;i++) {}',
  ])('is null for %j', async (text) => {
    expect(await identifiedLanguage(text, 2_048, false)).toBeNull();
  });

  it('is identified from the first lang.analyze.max.length characters', async () => {
    const text = `1 2 3 4 5 ${'Der Hund läuft über die Straße und bellt. '.repeat(3)}`;
    expect(await identifiedLanguage(text, 10, false)).toBeNull();
    expect(await identifiedLanguage(text, 200, false)).toBe('de');
  });
});

describe('the language of a document', () => {
  const policy = { ways: ['detect', 'identify'], maxLength: 2_048 };
  const NAMES = 'Wilson, Marlee Matlin, Beyoncé Knowles, Berkeley Plantation';

  it.each([
    [
      'is the declared one',
      'Der Hund läuft über die Straße und bellt, weil er die Katze gesehen hat. Und so weiter.',
      'fr',
      'fr',
    ],
    [
      'is that of its letters',
      'Der Hund läuft über die Straße und bellt, weil er die Katze gesehen hat. Und so weiter.',
      null,
      'de',
    ],
    [
      'is that of its stop words among names',
      `${NAMES} and others performed at the show, which was in a hall of the city.`,
      null,
      'en',
    ],
    ['is that of the stop words of a short text', 'a man who is a respected leader in national affairs', null, 'en'],
    ['is not known of a short text with few stop words', 'a wide street or thoroughfare', null, null],
    ['is not known of names', `${NAMES}, ${NAMES}`, null, null],
    ['is not that of words which several languages have', 'de la que en un se de la que en un se por', null, null],
  ])('%s', async (_, text, declared, code) => {
    expect(await documentLanguage(text, declared, policy)).toBe(code);
  });
});
