import { describe, expect, it } from 'vitest';
import { authRulesOfXml } from '../../../src/core/http/auth-file-xml.js';
import { readExchangesXml } from '../../../src/core/indexing/exchanges-xml.js';
import { readSubcollections } from '../../../src/core/indexing/subcollection.js';
import { readWritersXml } from '../../../src/core/indexing/writers-xml.js';

/** Nutch's configuration files in XML, which have one reader: what is a whole file, and what each element may be in. */

const EXCHANGE = '<exchange id="a" class="b"><writers><writer id="w"/></writers></exchange>';
const WRITER = '<writer id="a" class="b"><mapping><copy><field source="x" dest="y"/></copy></mapping></writer>';
const COLLECTION = '<subcollection><name>a</name><whitelist>b</whitelist></subcollection>';
const CREDENTIALS = '<credentials username="u" password="p"><authscope host="a.test"/></credentials>';

type Reader = (xml: string) => readonly unknown[];
const files: [file: string, root: string, read: Reader, entry: string][] = [
  ['httpclient-auth.xml', 'auth-configuration', authRulesOfXml, CREDENTIALS],
  ['exchanges.xml', 'exchanges', readExchangesXml, EXCHANGE],
  ['index-writers.xml', 'writers', readWritersXml, WRITER],
  ['subcollections.xml', 'subcollections', readSubcollections, COLLECTION],
];

describe.each(files)('%s', (file, root, read, entry) => {
  const whole = (content: string): string => `<?xml version="1.0"?>\n<${root}>${content}</${root}>\n`;

  it('has an entry for each element, and may have none', () => {
    expect(read(whole(entry.replaceAll('\n', ' ')))).toHaveLength(1);
    expect(read(whole(''))).toEqual([]);
    expect(read(`<${root}/>`)).toEqual([]);
  });

  it('may have comments anywhere, and a namespace', () => {
    expect(read(`<!-- a -->${whole(`<!-- <x> -->${entry}<!-- b -->`)}<!-- c -->`)).toEqual(read(whole(entry)));
    const prefixed = whole(entry).replaceAll(/<(\/?)(?=[a-z])/g, '<$1n:');
    expect(read(prefixed)).toEqual(read(whole(entry)));
  });

  it.each<[rule: string, xml: string, reason: string, where?: string]>([
    ['a comment that holds its root', `<!-- <${root}/> -->`, `a whole element <${root}> is expected`],
    ['text that names its root', `${root}: <!-- <${root}> -->`, `a whole element <${root}> is expected`],
    ['another root', `<x>${entry}</x>`, `a whole element <${root}> is expected, not <x>`],
    ['an entry as its root', entry, `a whole element <${root}> is expected, not <${/\w+/.exec(entry)![0]}>`],
    [
      'no end of its root',
      whole(entry).replace(`</${root}>`, ''),
      `a whole element <${root}> is expected: the file ends in <${root}>`,
      'rule 1: ',
    ],
    ['a root in the root', whole(`<${root}/>`), `<${root}> is not allowed in <${root}>`],
    ['a document type', `<!DOCTYPE x [<!ENTITY a "b">]>${whole(entry)}`, 'no document type is allowed'],
  ])('is refused with %s', (_rule, xml, reason, where = '') => {
    expect(() => read(xml)).toThrow(
      new RegExp(`^${where}XML: ${reason.replaceAll(/[.*[\]]/g, '\\$&')} \\(${file}\\)$`),
    );
  });
});

it.each<[read: Reader, xml: string, message: string | RegExp]>([
  [
    readWritersXml,
    `<writers>${WRITER}<param name="a"/></writers>`,
    'rule 1: XML: <param> is not allowed in <writers> (index-writers.xml)',
  ],
  [
    readWritersXml,
    '<writers><writer id="a" class="b"><mapping><field/></mapping></writer></writers>',
    'rule 1: XML: <field> is not allowed in <mapping> (index-writers.xml)',
  ],
  [readWritersXml, '<writers><constructor/></writers>', /^XML: unknown element <constructor> \(index-writers\.xml\)$/],
  [
    readExchangesXml,
    `<exchanges>${EXCHANGE}<writer id="a"/></exchanges>`,
    'rule 1: XML: <writer> is not allowed in <exchanges> (exchanges.xml)',
  ],
  [
    readSubcollections,
    '<subcollections><name>a</name></subcollections>',
    /^XML: <name> is not allowed in <subcollections> \(subcollections\.xml\)$/,
  ],
  [
    readSubcollections,
    `<subcollections>${COLLECTION}<subcollection><name><b>a</b></name></subcollection></subcollections>`,
    'rule 2: XML: <b> is not allowed in <name> (subcollections.xml)',
  ],
  [
    authRulesOfXml,
    `<auth-configuration><${'x'.repeat(50)} password="secret"/></auth-configuration>`,
    /^XML: unknown element <x{40}> \(httpclient-auth\.xml\)$/,
  ],
])('an element in another place is refused with the number of its rule, if it is in one: %#', (read, xml, message) => {
  expect(() => read(xml)).toThrow(message);
});

it('a file of parameters may name them as it likes', () => {
  const parameters = (name: string): string =>
    `<writers><writer id="a" class="b"><parameters><param name="${name}" value="v"/></parameters></writer></writers>`;
  expect(Object.entries(readWritersXml(parameters('__proto__'))[0]!.parameters)).toEqual([['__proto__', 'v']]);
});
