/**
 * Which URLs a crawl keeps, and in what form: the properties of filters and normalizers. Nutch keeps rules in files;
 * here they are two properties, the lines themselves and the name of a file that is used if there are no lines
 * (rule-file-pairs.ts). Normalizers have both once for each scope: functions make these.
 */
import { choice, flag, int, list, rules } from './property.js';
import { ruleFile } from './rule-file-name.js';

const basicThenRegex = [
  'org.apache.nutch.net.urlnormalizer.basic.BasicURLNormalizer',
  'org.apache.nutch.net.urlnormalizer.regex.RegexURLNormalizer',
];

/** Scopes of Nutch that no job uses. */
const usedByInspectors = ['exempted'];
const readBy = (scope: string) =>
  usedByInspectors.includes(scope) ? ' No job uses this scope, only POST /v1/inspect/url.' : '';

/** Normalizers of one scope, in order; empty: those of urlnormalizer.order. */
const scopeOrder = (scope: string) =>
  list([], `Normalizers of scope ${scope}, in order. Empty: those of urlnormalizer.order.${readBy(scope)}`, ' ');

/** Rules of the regex normalizer for one scope. */
const scopeRules = (scope: string) =>
  rules('', `Rules of the regex normalizer in scope ${scope}. Empty: urlnormalizer.regex.rules.${readBy(scope)}`);

/** File of such rules. */
const scopeFile = (scope: string) =>
  ruleFile(
    '',
    `File of rules of the regex normalizer in scope ${scope}, lines or XML. Empty: urlnormalizer.regex.file.${readBy(scope)}`,
  );

const length = (sentence: string) => int(-1, `${sentence} -1: any.`, { min: -1, max: 1_000_000, unit: 'characters' });

/** Properties of URL filters and normalizers (Nutch `urlfilter.*`, `urlnormalizer.*`). */
export const urlProperties = {
  'urlfilter.automaton.file': ruleFile('automaton-urlfilter.txt', 'File of the automaton filter.'),
  'urlfilter.automaton.rules': rules(
    '',
    'Lines of + or - and an expression of dk.brics.automaton that matches the whole URL. Empty: the shipped rules.',
  ),
  'urlfilter.domain.file': ruleFile('domain-urlfilter.txt', 'File of the domain filter.'),
  'urlfilter.domain.rules': rules('', 'Domains, hosts and suffixes that are kept, one per line. Empty: all.'),
  'urlfilter.domaindenylist.file': ruleFile('domaindenylist-urlfilter.txt', 'File of the denylist filter.'),
  'urlfilter.domaindenylist.rules': rules(
    '',
    'Domains, hosts and suffixes that are dropped, one per line. Empty: none.',
  ),
  'urlfilter.fast.file': ruleFile('fast-urlfilter.txt', 'File of the fast filter.'),
  'urlfilter.fast.rules': rules(
    '',
    'Blocks of Host name or Domain name (Domain . is all) with DenyPath and DenyPathQuery expressions. Empty: none.',
  ),
  'urlfilter.fast.url.max.length': length('Longest URL that the fast filter keeps.'),
  'urlfilter.fast.url.path.max.length': length('Longest path that the fast filter keeps.'),
  'urlfilter.fast.url.query.max.length': length('Longest query that the fast filter keeps, without the question mark.'),
  'urlfilter.order': list([], 'Order of the URL filters. Empty: as enabled.', ' '),
  'urlfilter.prefix.file': ruleFile('prefix-urlfilter.txt', 'File of the prefix filter.'),
  'urlfilter.prefix.rules': rules('', 'Texts that kept URLs start with, one per line. Empty: http, https, ftp, file.'),
  'urlfilter.regex.file': ruleFile('regex-urlfilter.txt', 'File of the regex filter.'),
  'urlfilter.regex.rules': rules(
    '',
    'Lines of + or - and an expression; the first that is found decides, none drops the URL. Empty: the shipped rules.',
  ),
  'urlfilter.suffix.file': ruleFile('suffix-urlfilter.txt', 'File of the suffix filter.'),
  'urlfilter.suffix.rules': rules('', 'Suffix rules, one per line, after a + or - line. Empty: the shipped rules.'),
  'urlfilter.tld.length': int(-1, 'Longest last label of a host that the validator keeps. -1, empty: any. 2.x has 8.', {
    min: -1,
    max: 63,
    unit: 'characters',
    orEmpty: true,
  }),
  'urlnormalizer.basic.host.idn': choice('', 'Form of host names outside ASCII; empty: toAscii.', [
    '',
    'toAscii',
    'toUnicode',
  ]),
  'urlnormalizer.basic.host.idna2008': flag(
    true,
    'Host names outside ASCII follow IDNA 2008, as in browsers; false: IDNA 2003 (ß becomes ss).',
  ),
  'urlnormalizer.basic.host.trim-trailing-dot': flag(false, 'Remove the dot at the end of a host name.'),
  'urlnormalizer.hosts.file': ruleFile('host-urlnormalizer.txt', 'File of the host normalizer.'),
  'urlnormalizer.hosts.rules': rules(
    '',
    'Lines of a host or *.domain, a space and the host that takes its place. Empty: none.',
  ),
  'urlnormalizer.loop.count': int(1, 'How often the normalizers run, until nothing changes.', { min: 1, max: 10 }),
  'urlnormalizer.order': list(basicThenRegex, 'Order of the normalizers.', ' '),
  'urlnormalizer.protocols.file': ruleFile('protocols.txt', 'File of the protocol normalizer.'),
  'urlnormalizer.protocols.rules': rules('', 'Lines of a host or *.domain, a TAB and a scheme. Empty: none.'),
  'urlnormalizer.regex.file': ruleFile('regex-normalize.xml', 'File of the regex normalizer, lines or XML.'),
  'urlnormalizer.regex.file.crawldb': scopeFile('crawldb'),
  'urlnormalizer.regex.file.default': scopeFile('default'),
  'urlnormalizer.regex.file.exempted': scopeFile('exempted'),
  'urlnormalizer.regex.file.fetcher': scopeFile('fetcher'),
  'urlnormalizer.regex.file.generate_host_count': scopeFile('generate_host_count'),
  'urlnormalizer.regex.file.indexer': scopeFile('indexer'),
  'urlnormalizer.regex.file.inject': scopeFile('inject'),
  'urlnormalizer.regex.file.linkdb': scopeFile('linkdb'),
  'urlnormalizer.regex.file.outlink': scopeFile('outlink'),
  'urlnormalizer.regex.file.partition': scopeFile('partition'),
  'urlnormalizer.regex.rules': rules(
    '',
    'Lines of an expression, a TAB and its substitution. Empty: the shipped rules.',
  ),
  'urlnormalizer.regex.rules.crawldb': scopeRules('crawldb'),
  'urlnormalizer.regex.rules.default': scopeRules('default'),
  'urlnormalizer.regex.rules.exempted': scopeRules('exempted'),
  'urlnormalizer.regex.rules.fetcher': scopeRules('fetcher'),
  'urlnormalizer.regex.rules.generate_host_count': scopeRules('generate_host_count'),
  'urlnormalizer.regex.rules.indexer': scopeRules('indexer'),
  'urlnormalizer.regex.rules.inject': scopeRules('inject'),
  'urlnormalizer.regex.rules.linkdb': scopeRules('linkdb'),
  'urlnormalizer.regex.rules.outlink': scopeRules('outlink'),
  'urlnormalizer.regex.rules.partition': scopeRules('partition'),
  'urlnormalizer.scope.crawldb': scopeOrder('crawldb'),
  'urlnormalizer.scope.default': scopeOrder('default'),
  'urlnormalizer.scope.exempted': scopeOrder('exempted'),
  'urlnormalizer.scope.fetcher': scopeOrder('fetcher'),
  'urlnormalizer.scope.generate_host_count': scopeOrder('generate_host_count'),
  'urlnormalizer.scope.indexer': scopeOrder('indexer'),
  'urlnormalizer.scope.inject': scopeOrder('inject'),
  'urlnormalizer.scope.linkdb': scopeOrder('linkdb'),
  'urlnormalizer.scope.outlink': scopeOrder('outlink'),
  'urlnormalizer.scope.partition': scopeOrder('partition'),
  'urlnormalizer.slashes.file': ruleFile('slashes.txt', 'File of the slash normalizer.'),
  'urlnormalizer.slashes.rules': rules(
    '',
    'Lines of a host, a space and + or -: with or without a slash. Empty: none.',
  ),
};
