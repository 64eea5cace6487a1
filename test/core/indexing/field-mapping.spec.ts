import { describe, expect, it } from 'vitest';
import { documentJson } from '../../../src/core/indexing/document-json.js';
import { mappedFields } from '../../../src/core/indexing/document-fields.js';
import { mapped } from '../../../src/core/indexing/field-mapping.js';
import { readWritersXml } from '../../../src/core/indexing/writers-xml.js';

const mappingOf = (mapping: string) =>
  readWritersXml(`<writers><writer id="w" class="c"><mapping>${mapping}</mapping></writer></writers>`)[0]!.mapping;

const sentWith = (mapping: string): Record<string, unknown> => {
  const fields = new Map([
    ['title', ['t']],
    ['content', ['c']],
  ]);
  const document = { id: 'i', url: 'http://a.test/', boost: 2, fields, fieldBoosts: new Map() };
  return { ...documentJson(mapped(document, mappingOf(mapping))) };
};
const always = { id: 'i', boost: 2 };

describe('the mapping of fields', () => {
  it('copies to no field without a name, for a comma too many', () => {
    expect(sentWith('<copy><field source="title" dest="search, , "/></copy>')).toEqual({
      ...always,
      title: 't',
      content: 'c',
      search: 't',
    });
  });

  it('copies the values of a field to others, which keep their own', () => {
    expect(sentWith('<copy><field source="title" dest="search, content"/></copy>')).toEqual({
      ...always,
      title: 't',
      content: ['c', 't'],
      search: 't',
    });
  });

  it('does not double the values of a field that is copied to itself, as in the example that Nutch ships', () => {
    const copies = '<field source="content" dest="search"/><field source="title" dest="title,search"/>';
    expect(sentWith(`<copy>${copies}</copy>`)).toEqual({ ...always, title: 't', content: 'c', search: ['c', 't'] });
    const title = { name: 'title', type: 'text', many: false } as const;
    const own = mappedFields([title], mappingOf('<copy><field source="title" dest="title"/></copy>'));
    expect(own).toEqual([title]);
  });

  it('lets two fields swap their names', () => {
    const names = '<field source="title" dest="content"/><field source="content" dest="title"/>';
    expect(sentWith(`<rename>${names}</rename>`)).toEqual({ ...always, title: 'c', content: 't' });
  });

  it.each([
    ['<remove><field source="boost"/></remove>', {}],
    ['<rename><field source="boost" dest="weight"/></rename>', { weight: 2 }],
    [
      '<copy><field source="boost" dest="weight"/><field source="id" dest="key"/></copy>',
      { boost: 2, weight: 2, key: 'i' },
    ],
    ['<rename><field source="title" dest="boost"/></rename><remove><field source="id"/></remove>', { boost: 't' }],
  ])('%s applies to the boost and the id, too; the id is always sent', (mapping, expected) => {
    const { title: _, content, ...others } = sentWith(mapping);
    expect([content, others]).toEqual(['c', { id: 'i', ...expected }]);
  });
});
