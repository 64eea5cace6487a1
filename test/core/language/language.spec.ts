import { describe, expect, it } from 'vitest';
import { declaredLanguage, primaryLanguage } from '../../../src/core/language/declared-language.js';
import { documentLanguage } from '../../../src/core/language/document-language.js';
import { identifiedLanguage } from '../../../src/core/language/identified-language.js';

describe('the primary language of a tag (BCP 47 §4.5: the canonical code)', () => {
  it.each([
    ['en', 'en'],
    ['en-US', 'en'],
    [' DE_at ', 'de'],
    ['fr, en', 'fr'],
    ['ast', 'ast'],
    ['eng', 'en'],
    ['ger, eng', 'de'],
    ['DEU-AT', 'de'],
    ['iw', 'he'],
    ['nno', 'nn'],
    ['nb-NO', 'no'],
    ['nob', 'no'],
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
    [
      'is not known of numbered names',
      Array.from({ length: 200 }, (_, n) => `word${n * 7} link ${n}`).join(' '),
      null,
      null,
    ],
    ['is not that of words which several languages have', 'de la que en un se de la que en un se por', null, null],
  ])('%s', async (_, text, declared, code) => {
    expect(await documentLanguage(text, declared, policy)).toBe(code);
  });

  it.each([
    [
      'af',
      null,
      'Alle menslike wesens word vry, met gelyke waardigheid en regte, gebore. Hulle het rede en gewete en behoort in die gees van broederskap teenoor mekaar op te tree. Hy het nie geweet dat sy van die wêreld was nie, maar ook daar is in die dorp wat ons ken niks meer te sien nie, want die huis is weg.',
    ],
    [
      'uk',
      'uk',
      'Всі люди народжуються вільними і рівними у своїй гідності та правах. Вони наділені розумом і совістю і повинні діяти у відношенні один до одного в дусі братерства. Я не знаю, що з ним і як він там, але все це так, як було.',
    ],
    [
      'bg',
      'bg',
      'Всички хора се раждат свободни и равни по достойнство и права. Те са надарени с разум и съвест и следва да се отнасят помежду си в дух на братство. Не знам как е той и за какво да го питам, но той ще е там.',
    ],
    [
      'hi',
      'hi',
      'सभी मनुष्यों को गौरव और अधिकारों के मामले में जन्मजात स्वतन्त्रता और समानता प्राप्त है। उन्हें बुद्धि और अन्तरात्मा की देन प्राप्त है और परस्पर उन्हें भाईचारे के भाव से बर्ताव करना चाहिए। यह वह है जो उस समय के साथ था।',
    ],
  ])('of a text in %s is %s, not a related one that has a list of stop words', async (_, code, text) => {
    expect(await documentLanguage(text, null, policy)).toBe(code);
  });

  it('is shown by eight different stop words of one language, whatever the letters say', async () => {
    const code = 'int main int argc char argv return void static const struct while for if else switch case default';
    const text = `${code} ${code.toUpperCase()} the name of this is what it was before and after`;
    expect(await documentLanguage(text, null, policy)).toBe('en');
  });
});
