import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { defaults } from '../../src/core/conf/properties.js';
import { readPageOf } from '../../src/plugin/external-page.js';
import { made, useFolders } from './outside.js';

useFolders();

describe('an external plugin', () => {
  const input = (type = 'text/plain') => ({
    content: new TextEncoder().encode('hello'),
    page: { url: 'http://a.test/', contentType: type },
    type,
    props: defaults,
  });
  const pageOf = (text: string) => ({ ...readPageOf({ text }, input()), type: 'text/plain', parser: 'x', tried: [] });

  it.each([
    [
      `({ title: 'T', text: 'a b', outlinks: ['http://b.test/', { url: 'http://c.test/', anchor: 'c' }], metadata: { n: 1 } })`,
    ],
    [
      `Promise.resolve({ title: 'T', text: 'a b', outlinks: [{ url: 'http://b.test/' }, { url: 'http://c.test/', anchor: 'c' }], metadata: { n: '1' } })`,
    ],
  ])('may provide a parser that returns %s', async (answer) => {
    const plugin = await made<'makeParser'>(`makeParser: () => ({ types: ['Text/X'], parse: () => ${answer} })`);
    const parser = plugin.makeParser(defaults);
    expect(parser.types).toEqual(['text/x']);
    expect(await parser.parse(input())).toEqual({
      ...readPageOf({}, input()),
      title: 'T',
      text: 'a b',
      outlinks: [
        { url: 'http://b.test/', anchor: '' },
        { url: 'http://c.test/', anchor: 'c' },
      ],
      metadata: { n: '1' },
    });
  });

  it('stores several values of a name with tabs between them (K5)', async () => {
    const plugin = await made<'makeParser'>(
      `makeParser: () => ({ types: ['text/x'], parse: () => ({ metadata: { h2: ['a\\tb', 'c', 7, true], none: [], one: ['x'] } }) })`,
    );
    const page = await plugin.makeParser(defaults).parse(input());
    expect(page.metadata).toEqual({ h2: 'a b\tc\t7\ttrue', none: '', one: 'x' });
  });

  it.each([
    [`{ throw new Error('boom'); }`, 'boom'],
    [`Promise.reject(new Error('boom'))`, 'boom'],
    ['null', 'it answered null'],
    ['7', 'it answered number'],
    ['({ text: 7 })', 'its text must be a text (given: number)'],
    [
      '({ outlinks: [7] })',
      'its outlinks must be an array of URLs, or of objects whose url and, if given, anchor are texts (given: an array)',
    ],
    [
      '({ metadata: { a: {} } })',
      'its metadata must be an object whose values are texts, numbers, true, false or arrays of these (given: a: object)',
    ],
    ['({ metadata: { a: 1, b: [1, null] } })', 'or arrays of these (given: b: an array with null)'],
    ['({ metadata: [] })', 'or arrays of these (given: an array)'],
    [
      `({ status: { major: 'ok' } })`,
      'its status must be an object: major and, if given, minor are integers from 0 to 999, args is an array',
    ],
    [`({ status: { major: 1, minor: 100 } })`, 'its refresh is missing'],
  ])('whose parser returns %s fails with a reason', async (answer, reason) => {
    const plugin = await made<'makeParser'>(`makeParser: () => ({ types: ['text/x'], parse: () => ${answer} })`);
    const parser = plugin.makeParser(defaults);
    await expect((async () => parser.parse(input()))()).rejects.toThrow(reason);
  });

  it.each(['({ types: [], parse: 1 })', '({ parse: () => 1 })', `({ types: ['text'], parse: () => 1 })`])(
    'that makes the parser %s causes a configuration error',
    async (parser) => {
      const plugin = await made<'makeParser'>(`makeParser: () => ${parser}`);
      expect(() => plugin.makeParser(defaults)).toThrow(/made no Parser/);
    },
  );

  it('changes a page by the fields that its parse filter returns', async () => {
    const plugin = await made<'makeParseFilter'>(
      `makeParseFilter: () => (page) => ({ metadata: { ...page.metadata, words: page.text.split(' ').length } })`,
    );
    const page = pageOf('a b c');
    expect(plugin.makeParseFilter(defaults)(page, input())).toEqual({ ...page, metadata: { words: '3' } });
  });

  it('resets the redirect status of a page when its parse filter drops the meta refresh', async () => {
    const plugin = await made<'makeParseFilter'>(`makeParseFilter: () => () => ({ refresh: null })`);
    const refresh = { url: 'http://b.test/', seconds: 0 };
    const page = { ...pageOf('a'), refresh, status: { ...pageOf('a').status, minor: 100 } };
    expect(plugin.makeParseFilter(defaults)(page, input())).toEqual(pageOf('a'));
  });

  const links = [{ url: 'http://b.test/', anchor: 'b', tag: 'a' }];
  const full = () => ({
    ...pageOf('a b'),
    outlinks: links.map((link) => ({ ...link })),
    robots: { noindex: false, nofollow: true, nocache: true },
    metadata: { old: '1' },
  });

  it.each([
    ['page.metadata.words = 7', { metadata: { old: '1', words: '7' } }],
    [`page.outlinks.push('http://c.test/x')`, { outlinks: [...links, { url: 'http://c.test/x', anchor: '' }] }],
    [`page.outlinks[0].url = 'http://c.test/'`, { outlinks: [{ ...links[0], url: 'http://c.test/' }] }],
    [`page.outlinks[0].anchor = 'c'`, { outlinks: [{ ...links[0], anchor: 'c' }] }],
    ['page.outlinks[0].nofollow = true', { outlinks: [{ ...links[0], nofollow: true }] }],
    [`page.outlinks[0].tag = 'c'`, { outlinks: [{ ...links[0], tag: 'c' }] }],
    [`page.outlinks[0] = 'http://c.test/'`, { outlinks: [{ url: 'http://c.test/', anchor: '' }] }],
    ['page.outlinks.pop()', { outlinks: [] }],
    ['page.robots.noindex = true', { robots: { noindex: true, nofollow: true, nocache: true } }],
    [`page.title = 'T'`, { title: 'T' }],
    ['', {}],
    // Values that no page can have leave the page unchanged.
    ['page.metadata.words = {}', {}],
    ['page.outlinks[0].anchor = 7', {}],
    ['page.outlinks.push(7)', {}],
    ['page.outlinks[0] = null', {}],
    ['page.outlinks = 7', {}],
    ['page.status.args.push(7); page.status.major = -1', {}],
    ['page.metadata.words = 7; throw 1', {}],
  ])('may change the page in place by its parse filter, with the same validation: %s', async (change, fields) => {
    const plugin = await made<'makeParseFilter'>(`makeParseFilter: () => (page) => { ${change}; return page; }`);
    const page = full();
    expect(plugin.makeParseFilter(defaults)(page, input())).toEqual({ ...full(), ...fields });
    expect(page).toEqual(full());
  });

  it.each([`{ throw new Error('boom'); }`, 'Promise.reject(1)', 'undefined', `({ title: 7 })`, `'text'`])(
    'whose parse filter returns %s leaves the page unchanged',
    async (answer) => {
      const plugin = await made<'makeParseFilter'>(`makeParseFilter: () => () => ${answer}`);
      const page = pageOf('a');
      expect(await plugin.makeParseFilter(defaults)(page, input())).toBe(page);
    },
  );

  it('cannot change the content of a page', async () => {
    const spoil = '{ given.content.fill(0); given.page.url = 7; return {}; }';
    const plugin = await made<'makeParser' | 'makeParseFilter'>(
      `makeParser: () => ({ types: ['text/x'], parse: (given) => ${spoil} }), makeParseFilter: () => (page, given) => ${spoil}`,
    );
    const given = input();
    await plugin.makeParser(defaults).parse(given);
    await plugin.makeParseFilter(defaults)(pageOf('a'), given);
    expect(given).toEqual(input());
  });

  it('may return the promise of a library', async () => {
    const later = `({ then: (done) => done({ title: 'later' }) })`;
    const plugin = await made<'makeParser' | 'makeParseFilter'>(
      `makeParser: () => ({ types: ['text/x'], parse: () => ${later} }), makeParseFilter: () => () => ${later}`,
    );
    expect(await plugin.makeParser(defaults).parse(input())).toMatchObject({ title: 'later' });
    expect(await plugin.makeParseFilter(defaults)(pageOf('a'), input())).toMatchObject({ title: 'later' });
  });

  it('that returns a promise that never settles fails after 30 seconds', async () => {
    const plugin = await made<'makeParser' | 'makeParseFilter'>(
      `makeParser: () => ({ types: ['text/x'], parse: () => new Promise(() => {}) }),
       makeParseFilter: () => () => new Promise(() => {})`,
    );
    const timer = globalThis.setTimeout;
    const soon = vi
      .spyOn(globalThis, 'setTimeout')
      .mockImplementation(((run: () => void) => timer(run)) as typeof timer);
    onTestFinished(() => void soon.mockRestore());
    const parsing = plugin.makeParser(defaults).parse(input());
    await expect(parsing).rejects.toThrow('it took longer than 30000 ms');
    const page = pageOf('a');
    expect(await plugin.makeParseFilter(defaults)(page, input())).toBe(page);
  });
});
