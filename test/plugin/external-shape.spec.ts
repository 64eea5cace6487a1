import { describe, expect, it } from 'vitest';
import { shapePlugins } from '../../src/plugin/external-shape.js';

/** What a file of PLUGIN_DIR exports, checked when it is loaded: test/plugin/external.spec.ts has the refusals as a start shows them. */

const filter = { id: 'x', description: 'X.', makeFilter: () => () => true };
const withProperties = (properties: unknown) => ({ ...filter, properties });
const many = (n: number) =>
  Object.fromEntries(Array.from({ length: n }, (_, at) => [`p${at}`, { default: '', description: 'P.' }]));

describe('an exported plugin is refused', () => {
  it.each<[string, unknown, string]>([
    ['with an id of 101 characters', { ...filter, id: 'x'.repeat(101) }, 'at most 100 characters'],
    ['with a className of two lines', { ...filter, className: 'a\nb' }, 'plugin x: className must be one line of text'],
    [
      'with a description of two lines',
      { ...filter, description: 'a\nb' },
      'plugin x has no description: one line of text',
    ],
    [
      'with a member whose name is nearly that of a maker',
      { ...filter, mkeFilter: 1 },
      'plugin x: mkeFilter is no member of a plugin; did you mean makeFilter?',
    ],
    [
      'with 101 required plugins',
      { ...filter, requires: Array(101).fill('a') },
      'requires must be an array of plugin ids',
    ],
    [
      'with properties in an array',
      withProperties([]),
      'properties must be an object of names and { default, description }',
    ],
    [
      'with properties that are null',
      withProperties(null),
      'properties must be an object of names and { default, description }',
    ],
    ['with 101 properties', withProperties(many(101)), 'plugin x declares more than 100 properties'],
    [
      'with a property that is a value',
      withProperties({ a: 7 }),
      'plugin x: property a must be { default, description }',
    ],
    [
      'with a property without description',
      withProperties({ a: { default: '' } }),
      'plugin x: property a has no description: one line of text',
    ],
    ['as one of 101', Array(101).fill(filter), 'it exports 101 plugins: 1 to 100'],
  ])('%s', (_, exported, why) => {
    expect(() => shapePlugins(exported)).toThrow(why);
  });
});

describe('an exported plugin', () => {
  it('may declare 100 properties', () => {
    expect(Object.keys(shapePlugins(withProperties(many(100)))[0]!.properties)).toHaveLength(100);
  });

  it.each([
    ['text', 7, '7'],
    ['int', '-3', -3],
    ['float', '0.5', 0.5],
    ['flag', 'true', true],
    ['flag', 'false', false],
    ['list', 'a, b c', ['a', 'b', 'c']],
    ['rules', ['+a', '-b'], '+a\n-b'],
    ['rules', '+a', '+a'],
  ])('may declare a property of kind %s with default %j: %j', (kind, value, read) => {
    const [shaped] = shapePlugins(withProperties({ a: { kind, default: value, description: 'A.' } }));
    const { a } = shaped!.properties;
    expect(a!.default).toEqual(read);
  });

  it('may be an instance of a class, whose makers are called as its methods', () => {
    class Words {
      id = 'words';
      description = 'W.';
      accepted = 'http://a.test/';
      makeFilter() {
        return (url: string) => url === this.accepted;
      }
    }
    const { plugin } = shapePlugins(new Words())[0]!;
    const accepts = plugin.makeFilter!({} as never) as unknown as (url: string) => boolean;
    expect([accepts('http://a.test/'), accepts('http://b.test/')]).toEqual([true, false]);
  });
});
