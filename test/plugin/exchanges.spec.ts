import { describe, expect, it } from 'vitest';
import { parseConf } from '../../src/core/conf/properties.js';
import type { IndexDocument } from '../../src/core/indexing/index-document.js';
import { makeRoute } from '../../src/plugin/exchanges.js';

const exchange = (id: string, expr: string, ...writers: string[]) =>
  `<exchange id="${id}" class="org.apache.nutch.exchange.jexl.JexlExchange">
    <writers>${writers.map((writer) => `<writer id="${writer}"/>`).join('')}</writers>
    <params><param name="expr" value="${expr.replaceAll('"', '&quot;').replaceAll('<', '&lt;')}"/></params>
  </exchange>`;

const document = (fields: Record<string, string | number>): IndexDocument => ({
  id: 'i',
  url: 'u',
  boost: 2,
  fields: new Map(Object.entries(fields).map(([name, value]) => [name, [value]])),
  fieldBoosts: new Map(),
});

const route = (rules: string, fields: Record<string, string | number>, more: Record<string, string> = {}) => {
  const writers = makeRoute(parseConf({ 'exchanges.exchanges.rules': rules, ...more }).conf)(document(fields));
  return writers && [...writers].sort();
};

const RULES = `<exchanges xmlns="http://lucene.apache.org/nutch">
  ${exchange('one', `doc.getFieldValue('host')=='a.test'`, 'w1')}
  ${exchange('two', 'host =~ ".*\\.test" and boost >= 2 and contentLength < 10', 'w2', 'w3')}
  <exchange id="default" class="default"><writers><writer id="rest"/></writers></exchange>
</exchanges>`;

describe('exchanges', () => {
  it.each([
    [{ host: 'a.test' }, ['w1', 'w2', 'w3']],
    [{ host: 'a.test', contentLength: 11 }, ['w1']],
    [{ host: 'b.test' }, ['w2', 'w3']],
    [{ host: 'b.net' }, ['rest']],
    [{}, ['rest']],
  ])('send %j to %j', (fields, writers) => expect(route(RULES, fields)).toEqual(writers));

  it('send every document to all writers when none is configured', () => expect(route('', {})).toBeNull());

  it.each([
    [exchange('x', 'host ==', 'w'), /something is missing/],
    [exchange('x', 'host', 'w'), /a condition is required/],
    ['<exchange id="x"/>', /needs a class/],
    ['<exchange id="x" class="no.such.Class"/>', /no active plugin has the class/],
    ['<what/>', /unknown element/],
  ])('are refused when they are invalid: %s', (rules, message) => {
    expect(() => route(`<exchanges>${rules}</exchanges>`, {})).toThrow(message);
  });

  it('are refused by their number in the file, the default one included', () => {
    const rules = `<exchange id="default" class="default"/>${exchange('x', 'host ==', 'w')}`;
    expect(() => route(`<exchanges>${rules}</exchanges>`, {})).toThrow(/rule 2: .* \(x\)/);
  });

  it('are refused when their file is truncated', () => {
    for (const length of [1, 30, 200]) expect(() => route(RULES.slice(0, -length), {})).toThrow(/a whole element/);
  });
});
