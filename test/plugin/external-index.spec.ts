import { describe, expect, it } from 'vitest';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import type { IndexPage } from '../../src/core/indexing/index-page.js';
import { reasonOf } from '../../src/plugin/error-text.js';
import {
  guardedExchange,
  guardedIndexBoost,
  guardedIndexWriter,
  guardedIndexingFilter,
} from '../../src/plugin/external-index.js';

/** What external indexing filters, boosts, exchanges and writers may do: anything else has no effect. */

const page = {
  url: 'http://a.test/',
  headers: {},
  metadata: { topic: 'a' },
  inlinks: [],
  outlinks: [{ url: 'http://b.test/', anchor: 'b' }],
} as unknown as IndexPage;
const document = (): IndexDocument => ({
  id: 'i',
  url: 'http://a.test/',
  boost: 1,
  fields: new Map([['title', ['title']]]),
  fieldBoosts: new Map(),
});

/** The document after a filter, and the number of its failures. */
function filtered(work: (document: IndexDocument) => unknown) {
  const failures: unknown[] = [];
  const filter = guardedIndexingFilter(work, (error) => String(failures.push(error)))!;
  return { made: filter(document(), page), failures: failures.length };
}

describe('an external indexing filter', () => {
  it('may add fields and boosts of fields, or drop a document', () => {
    const { made, failures } = filtered((given) => {
      given.fields.set('colour', ['red', 2, true, new Date(0)]);
      given.fieldBoosts.set('title', 3);
      return given;
    });
    expect(failures).toBe(0);
    expect([...made!.fields]).toEqual([
      ['title', ['title']],
      ['colour', ['red', 2, true, new Date(0)]],
    ]);
    expect([...made!.fieldBoosts]).toEqual([['title', 3]]);
    expect(filtered(() => null)).toEqual({ made: null, failures: 0 });
  });

  it.each<[string, (given: IndexDocument) => unknown]>([
    ['nothing', () => undefined],
    ['a text', () => 'x'],
    ['a promise', (given) => Promise.resolve(given)],
    ['fields that are not a map', () => ({ fields: {} })],
    ['values that are not an array', () => ({ fields: new Map([['a', 'b']]) })],
    ['a thousand and one fields', () => ({ fields: new Map(Array.from({ length: 1_001 }, (_, n) => [`f${n}`, [1]])) })],
    [
      'nothing, but throws an error,',
      (given) => {
        given.fields.clear();
        throw new Error('broken');
      },
    ],
  ])('that returns %s leaves the document unchanged', (_, work) => {
    expect(filtered(work)).toEqual({ made: document(), failures: 1 });
  });

  it.each([
    [['plain', 'b'], 'its field plain must be an array of values (given: string)'],
    [['', ['b']], 'the name of a field of its document must be a text of 1 to 256 characters'],
  ])('whose document has the field %j fails with a reason that names it (L2)', (field, reason) => {
    const failures: string[] = [];
    const work = () => ({ fields: new Map([field as [string, string[]]]) });
    guardedIndexingFilter(work, (error) => String(failures.push(reasonOf(error))))!(document(), page);
    expect(failures).toEqual([reason]);
  });

  it('cannot change id and boost of a document, and invalid values are left out', () => {
    const { made } = filtered((given) => ({
      ...given,
      id: 'another',
      boost: NaN,
      fields: new Map([['a', ['x', {}, null, NaN, new Date(NaN)]]]),
    }));
    expect([made!.id, made!.boost, [...made!.fields]]).toEqual(['i', 1, [['a', ['x']]]]);
  });

  it('may name and fill fields with halves of characters: they are replaced, as strict readers of JSON refuse them', () => {
    const fields = new Map([['half\ud83d', ['value\ude00']]]);
    const { made } = filtered((given) => ({ ...given, fields }));
    expect([...made!.fields]).toEqual([['half\ufffd', ['value\ufffd']]]);
  });
});

it.each([
  [() => 2, 2],
  [() => NaN, 1],
  [() => '2', 1],
  [() => Promise.resolve(2), 1],
  [
    () => {
      throw new Error('broken');
    },
    1,
  ],
])('an external boost that is not a number leaves the previous one: %s', (work, boost) => {
  expect(guardedIndexBoost(work, String)!(document(), page, 1)).toBe(boost);
});

it('an external boost may set boosts of fields, by finite numbers, and nothing else (H11, K12)', () => {
  const given = { ...document(), fieldBoosts: new Map([['url', 4]]) };
  const boost = guardedIndexBoost((own: IndexDocument) => {
    for (const [name, weight] of [
      ['title', 2],
      ['text', NaN],
      ['url', '3'],
    ])
      own.fieldBoosts.set(name as string, weight as number);
    own.fields.clear();
    return 3;
  }, String)!;
  expect(boost(given, page, 1)).toBe(3);
  expect(given).toEqual({ ...document(), fieldBoosts: new Map([['title', 2]]) });
});

it.each([
  [() => true, true],
  [() => 'yes', false],
  [() => Promise.resolve(true), false],
])('an external exchange accepts a document only by true: %s', (work, takes) => {
  expect(guardedExchange(work, String)!(document())).toBe(takes);
});

/** Changes all that it is given, in place. */
const spoil = (given: IndexDocument, of?: IndexPage): void => {
  given.fields.get('title')?.push('more');
  given.fields.delete('title');
  (given.fields.get('date')?.[0] as Date | undefined)?.setTime(0);
  given.fieldBoosts.set('title', 9);
  Object.assign(given, { id: 'another' });
  if (of === undefined) return;
  Object.assign(of, { url: 'http://c.test/' });
  Object.assign(of.metadata, { topic: 'b' });
  Object.assign(of.outlinks[0]!, { url: 'http://c.test/' });
};

it('what an extension changes in place, the other filters and writers do not see', async () => {
  const dated = (): IndexDocument => {
    const made = document();
    made.fields.set('date', [new Date(7)]);
    return made;
  };
  const [given, ids, before] = [dated(), ['i'], structuredClone(page)];
  const done = (): Promise<void> => Promise.resolve();
  const writer = guardedIndexWriter(
    {
      write: (documents: IndexDocument[]) => void documents.splice(0).forEach((one) => spoil(one)),
      delete: (all: string[]) => void all.splice(0),
      commit: done,
      close: done,
    },
    String,
  )!;
  const sent = [given];
  await writer.write(sent);
  await writer.delete(ids);
  guardedExchange(spoil, String)!(given);
  guardedIndexingFilter(spoil, String)!(given, page);
  guardedIndexBoost((_: IndexDocument, of: IndexPage) => Object.assign(of.metadata, { topic: 'b' }), String)!(
    given,
    page,
    1,
  );
  expect([sent, ids, page]).toEqual([[dated()], ['i'], before]);
});

describe('an external index writer', () => {
  const done = (): Promise<void> => Promise.resolve();

  it('needs the methods write, delete, commit and close', () => {
    expect(guardedIndexWriter({ write: done, delete: done, commit: done }, String)).toBeUndefined();
    expect(guardedIndexWriter({ write: done, delete: done, commit: done, close: done }, String)).toBeDefined();
  });

  it('may report documents that it refuses, and fails with the message of its error', async () => {
    const writer = guardedIndexWriter(
      {
        write: () => Promise.resolve([{ id: 'i', reason: 'no' }]),
        delete: () => Promise.reject(new Error('engine is gone')),
        commit: () => undefined,
        close: done,
      },
      (error) => (error as Error).message,
    )!;
    expect(await writer.write([document()])).toEqual([{ id: 'i', reason: 'no' }]);
    await expect(writer.delete(['i'])).rejects.toThrow('engine is gone');
    await expect(writer.commit()).resolves.toBeUndefined();
  });

  const writing = (answer: unknown) =>
    guardedIndexWriter({ write: () => answer, delete: done, commit: done, close: done }, reasonOf)!.write([document()]);

  it.each([[undefined], [null], [[]]])('refuses no document if it answers %j', async (answer) =>
    expect(await writing(answer)).toEqual([]),
  );

  it.each([[42], ['i'], [{ id: 'i', reason: 'no' }], [['i']], [[null]], [[{ reason: 'no' }]], [[{ id: 7 }]]])(
    'fails if it answers %j, so that no refused document counts as written',
    async (answer) =>
      expect(writing(answer)).rejects.toThrow(/^write answered .*: an array of \{ id, reason \} is needed$/),
  );
});
