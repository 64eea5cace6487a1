import { describe, expect, it } from 'vitest';
import { authRulesOfXml } from '../../../src/core/http/auth-file-xml.js';
import { ruleLines } from '../../../src/core/http/rule-fields.js';
import { compileBlacklist } from '../../../src/core/indexing/blacklist.js';
import { readExchangesXml } from '../../../src/core/indexing/exchanges-xml.js';
import { mimetypeFilter } from '../../../src/core/indexing/mimetype-filter.js';
import { readWritersXml } from '../../../src/core/indexing/writers-xml.js';
import { compileParserRules } from '../../../src/core/page/parser-rules.js';
import { readMimeRates } from '../../../src/core/schedule/mime-rates.js';
import { compileDomainFilter } from '../../../src/core/url/filter-domain.js';
import { compileFastFilter } from '../../../src/core/url/filter-fast.js';
import { compileSuffixFilter } from '../../../src/core/url/filter-suffix.js';

/** Rules that somebody sends to the API or stores as a file: bounded in number and in length (docs/limits.md). */

const lines = (n: number, line: (i: number) => string): string =>
  Array.from({ length: n }, (_, i) => line(i)).join('\n');
const fast = (text: string) =>
  compileFastFilter(text, {
    'urlfilter.fast.url.max.length': -1,
    'urlfilter.fast.url.path.max.length': -1,
    'urlfilter.fast.url.query.max.length': -1,
  });
const writers = (n: number, inside = '') =>
  `<writers>${lines(n, (i) => `<writer id="w${i}" class="dummy">${inside}</writer>`)}</writers>`;
const exchanges = (n: number, inside = '') =>
  `<exchanges>${lines(n, (i) => `<exchange id="e${i}" class="jexl">${inside}</exchange>`)}</exchanges>`;
const scopes = (n: number) =>
  `<auth-configuration><credentials username="me" password="x">${lines(n, (i) => `<authscope host="h${i}.test"/>`)}</credentials></auth-configuration>`;
const params = (n: number) => `<parameters>${lines(n, (i) => `<param name="p${i}" value="1"/>`)}</parameters>`;

describe('the number of rules is limited, and the first beyond it is named', () => {
  it.each<[string, (text: string) => unknown, number, (n: number) => string, string]>([
    ['urlfilter-suffix', compileSuffixFilter, 10_000, (n) => `+\n${lines(n, (i) => `.s${i}`)}`, 'suffixes'],
    ['urlfilter-domain', compileDomainFilter, 100_000, (n) => lines(n, (i) => `h${i}.test`), 'names'],
    ['urlfilter-fast', fast, 100_000, (n) => lines(n, (i) => `Host h${i % 9}.test`), 'lines'],
    ['parser.plugins', compileParserRules, 1_000, (n) => lines(n, (i) => `text/x-${i} parse-html`), 'rules'],
    ['db.fetch.schedule.mime.rules', readMimeRates, 10_000, (n) => lines(n, (i) => `text/x-${i} 0.1 0.1`), 'types'],
    ['mimetype.filter.rules', mimetypeFilter, 10_000, (n) => lines(n, (i) => `text/x-${i}`), 'lines'],
    ['index.blacklist', compileBlacklist, 100_000, (n) => lines(n, (i) => `http://a.test/${i}`), 'lines'],
    ['rules of the HTTP client', ruleLines, 10_000, (n) => lines(n, (i) => `h${i}.test\tx=1`), 'rules'],
    ['httpclient-auth.xml', authRulesOfXml, 10_000, scopes, 'scopes'],
    ['exchanges.xml', readExchangesXml, 100, exchanges, 'exchanges'],
    ['index-writers.xml', readWritersXml, 100, writers, 'writers'],
    ['parameters of a writer', readWritersXml, 1_000, (n) => writers(1, params(n)), 'parameters'],
  ])('%s', (_, read, max, textOf, what) => {
    expect(() => read(textOf(max))).not.toThrow();
    expect(() => read(textOf(max + 1))).toThrow(`more than ${max} ${what}`);
  });
});

describe('the length of a rule is limited', () => {
  it.each<[string, (text: string) => unknown, number, (n: number) => string]>([
    ['urlfilter-suffix', compileSuffixFilter, 1_000, (n) => `+\n.${'s'.repeat(n - 1)}`],
    ['urlfilter-domain', compileDomainFilter, 253, (n) => 'h'.repeat(n)],
    ['rules of the HTTP client', ruleLines, 8_192, (n) => `a.test\t${'x'.repeat(n - 7)}`],
  ])('%s', (_, read, max, textOf) => {
    expect(() => read(textOf(max))).not.toThrow();
    expect(() => read(textOf(max + 1))).toThrow(`longer than ${max} characters`);
  });
});

describe('an XML file of rules without a name that is needed is refused', () => {
  it.each([
    [() => readExchangesXml('<exchanges><exchange class="jexl"/></exchanges>'), 'an exchange needs an id'],
    [() => readExchangesXml(exchanges(1, '<writers><writer/></writers>')), 'a writer needs an id'],
    [() => readExchangesXml('<exchanges><exchange id="a"/></exchanges>'), 'exchange a needs a class'],
    [() => readWritersXml('<writers><writer class="dummy"/></writers>'), 'a writer needs an id of letters'],
    [() => readWritersXml('<writers><writer id="a"/></writers>'), 'writer a needs a class'],
    [() => readWritersXml(writers(1, '<parameters><param value="1"/></parameters>')), 'a param needs a name'],
    [() => authRulesOfXml(scopes(1).replace('host="h0.test"', '')), 'an authscope needs a host'],
  ])('%#: %s', (read, why) => {
    expect(read).toThrow(why);
  });
});
