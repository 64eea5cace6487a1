import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import { makeParseChain } from '../../src/plugin/parse-chain.js';

describe('the parse filters of a configuration', () => {
  const all = 'parse-(html|metatags)|parsefilter-(readable|markdown)|headings|language-identifier';

  it.each<[order: string, filters: string[]]>([
    ['', ['parse-metatags', 'headings', 'parsefilter-readable', 'parsefilter-markdown', 'language-identifier']],
    [
      'language-identifier headings',
      ['language-identifier', 'headings', 'parse-metatags', 'parsefilter-readable', 'parsefilter-markdown'],
    ],
    [
      'org.apache.nutch.parse.headings.HeadingsParseFilter unknown headings',
      ['headings', 'parse-metatags', 'parsefilter-readable', 'parsefilter-markdown', 'language-identifier'],
    ],
  ])('run in the order of htmlparsefilter.order, the others after them: "%s"', (order, filters) => {
    const { conf } = parseConf({ 'plugin.includes': all, 'htmlparsefilter.order': order });
    expect(makeParseChain(conf).filters.map(({ id }) => id)).toEqual(filters);
  });
});
