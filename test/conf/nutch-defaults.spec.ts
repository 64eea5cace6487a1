import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { nutchDifferences } from '../../src/core/conf/nutch-differences.js';
import { nutchLineOf } from '../../src/core/conf/nutch-names.js';
import { propertyNames, propertyOf } from '../../src/core/conf/properties.js';
import {
  namesWithoutMeaning,
  whyWithoutMeaning,
  withoutMeaningGroups,
} from '../../src/core/conf/unsupported-properties.js';

/** Every property of Nutch 1.x and 2.x: name, default, line, explanation. */
const rows = readFileSync(new URL('./nutch-defaults.tsv', import.meta.url), 'utf8')
  .split('\n')
  .slice(1)
  .filter((line) => line !== '')
  .map((line) => line.split('\t'))
  .map(([name = '', given = '', line = '']) => ({ name, given, line }));
/** Properties of a scope are in the table once for each scope. */
const inTable = (name: string): string[] =>
  name.endsWith('.<scope>')
    ? propertyNames.filter((known) => known.startsWith(name.slice(0, -'<scope>'.length)))
    : propertyOf(name) === undefined
      ? []
      : [name];

describe('the properties of Nutch', () => {
  it('are all known: in the table, or with the reason why they have no meaning here', () => {
    expect(rows.length).toBeGreaterThan(250);
    const unknown = rows.filter(({ name }) => inTable(name).length === 0 && whyWithoutMeaning(name) === undefined);
    expect(unknown.map(({ name }) => name)).toEqual([]);
  });

  it('are in only one of the two lists', () => {
    expect(namesWithoutMeaning.filter((name) => inTable(name).length > 0)).toEqual([]);
  });

  it('are the only ones listed as having no meaning here, each once and with a reason', () => {
    const names = new Set(rows.map(({ name }) => name));
    expect(namesWithoutMeaning.filter((name) => !names.has(name))).toEqual([]);
    expect(withoutMeaningGroups.flatMap((group) => group.names).toSorted()).toEqual(namesWithoutMeaning);
    for (const { reason } of withoutMeaningGroups) expect(reason).toMatch(/^[A-Z].*\.$/);
  });

  it('have the release line of Nutch (1.x, 2.x) that they come from', () => {
    for (const { name, line } of rows) expect(nutchLineOf(name), name).toBe(line);
  });

  it('accept what Nutch ships as their value, so that nutch-default.xml can be sent as it is', () => {
    const refused = rows.filter(({ name, given }) => {
      const property = propertyOf(name);
      // A reference is read as the value that it refers to.
      if (property === undefined || given.startsWith('(') || given.startsWith('${')) return false;
      return property.read(given.replace(/ \(2\.x: .*/, '')) === undefined;
    });
    expect(refused).toEqual([]);
  });

  it('have the default of Nutch 1.x or 2.x, or a documented difference', () => {
    const different = rows.filter(({ name, given }) => {
      const property = propertyOf(name);
      // A file that the plugin itself names is not a default of the property.
      if (property === undefined || given === '(plugin file)') return false;
      const defaults = given.split(' (2.x: ').map((text) => text.replace(/\)$/, '').replace(/^\(none$/, ''));
      return !defaults.some((text) => {
        const read = JSON.stringify(property.read(text));
        return text === property.defaultText || (read !== undefined && read === JSON.stringify(property.default));
      });
    });
    const undocumented = different.filter(({ name }) => !Object.hasOwn(nutchDifferences, name));
    expect(undocumented.map(({ name, given }) => `${name}: ${given}`)).toEqual([]);
  });

  it('that have a documented difference exist', () => {
    expect(Object.keys(nutchDifferences).filter((name) => propertyOf(name) === undefined)).toEqual([]);
  });
});
