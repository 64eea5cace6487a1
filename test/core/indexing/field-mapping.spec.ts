import { describe, expect, it } from 'vitest';
import { mapped } from '../../../src/core/indexing/field-mapping.js';
import { readWritersXml } from '../../../src/core/indexing/writers-xml.js';

const fieldsOf = (mapping: string): Record<string, unknown> => {
  const [writer] = readWritersXml(`<writers><writer id="w" class="c"><mapping>${mapping}</mapping></writer></writers>`);
  const fields = new Map([
    ['title', ['t']],
    ['content', ['c']],
  ]);
  const document = { id: 'i', url: 'http://a.test/', boost: 1, fields, fieldBoosts: new Map() };
  return Object.fromEntries(mapped(document, writer!.mapping).fields);
};

describe('the mapping of fields', () => {
  it('copies the values of a field to others, which keep their own', () => {
    expect(fieldsOf('<copy><field source="title" dest="search, content"/></copy>')).toEqual({
      title: ['t'],
      content: ['c', 't'],
      search: ['t'],
    });
  });

  it('does not double the values of a field that is copied to itself, as in the example that Nutch ships', () => {
    const copies = '<field source="content" dest="search"/><field source="title" dest="title,search"/>';
    expect(fieldsOf(`<copy>${copies}</copy>`)).toEqual({ title: ['t'], content: ['c'], search: ['c', 't'] });
  });

  it('lets two fields swap their names', () => {
    const names = '<field source="title" dest="content"/><field source="content" dest="title"/>';
    expect(fieldsOf(`<rename>${names}</rename>`)).toEqual({ title: ['c'], content: ['t'] });
  });
});
