/** Built-in URL filters. Rules are compiled once for each configuration. */
import type { Conf } from '../../core/conf/properties.js';
import { trapShape } from '../../core/trap/trap-shape.js';
import { compileAutomatonFilter } from '../../core/url/filter-automaton.js';
import { compileDomainDenyFilter, compileDomainFilter } from '../../core/url/filter-domain.js';
import { compileFastFilter } from '../../core/url/filter-fast.js';
import { compilePrefixFilter } from '../../core/url/filter-prefix.js';
import { compileRegexFilter } from '../../core/url/filter-regex.js';
import type { FilterUrl } from '../../core/url/url-filter.js';
import { compileSuffixFilter } from '../../core/url/filter-suffix.js';
import { makeValidator } from '../../core/url/filter-validator.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

type RulesProperty = Extract<keyof Conf, `urlfilter.${string}.rules`>;

const byRules = (property: RulesProperty, compile: (rules: string, conf: Conf) => FilterUrl) =>
  oncePerConf((conf) => withRules(property, conf[property], (rules) => compile(rules, conf)));

export const urlFilters: readonly PluginFor<'makeFilter'>[] = [
  {
    // Unset: the rules that Nutch ships.
    id: 'urlfilter-regex',
    className: 'org.apache.nutch.urlfilter.regex.RegexURLFilter',
    description: 'The first expression that is found in the URL decides.',
    makeFilter: byRules('urlfilter.regex.rules', (rules) => compileRegexFilter(rules)),
  },
  {
    // Unset: files that are not pages are rejected.
    id: 'urlfilter-suffix',
    className: 'org.apache.nutch.urlfilter.suffix.SuffixURLFilter',
    description: 'Keeps or drops URLs by suffix.',
    makeFilter: byRules('urlfilter.suffix.rules', compileSuffixFilter),
  },
  {
    // Unset: all are kept.
    id: 'urlfilter-domain',
    className: 'org.apache.nutch.urlfilter.domain.DomainURLFilter',
    description: 'Keeps listed hosts, domains and suffixes.',
    makeFilter: byRules('urlfilter.domain.rules', compileDomainFilter),
  },
  {
    id: 'urlfilter-domaindenylist',
    className: 'org.apache.nutch.urlfilter.domaindenylist.DomainDenylistURLFilter',
    description: 'Drops listed hosts, domains and suffixes.',
    makeFilter: byRules('urlfilter.domaindenylist.rules', compileDomainDenyFilter),
  },
  {
    // Unset: http, https, ftp and file.
    id: 'urlfilter-prefix',
    className: 'org.apache.nutch.urlfilter.prefix.PrefixURLFilter',
    description: 'Keeps URLs that start with a listed prefix.',
    makeFilter: byRules('urlfilter.prefix.rules', compilePrefixFilter),
  },
  {
    // Unset: the rules that Nutch ships.
    id: 'urlfilter-automaton',
    className: 'org.apache.nutch.urlfilter.automaton.AutomatonURLFilter',
    description: 'The first expression that matches the whole URL decides.',
    makeFilter: byRules('urlfilter.automaton.rules', compileAutomatonFilter),
  },
  {
    id: 'urlfilter-fast',
    className: 'org.apache.nutch.urlfilter.fast.FastURLFilter',
    description: 'Drops URLs by rules for their host or domain, and by length.',
    makeFilter: byRules('urlfilter.fast.rules', compileFastFilter),
  },
  {
    id: 'urlfilter-validator',
    className: 'org.apache.nutch.urlfilter.validator.UrlValidator',
    description: 'Keeps URLs that are valid by strict rules.',
    makeFilter: (conf) => makeValidator(conf['urlfilter.tld.length']),
  },
  {
    id: 'urlfilter-trap',
    className: 'orbweaver.urlfilter.trap.TrapURLFilter',
    description: 'Drops URLs that look like a trap: endless calendars, parameters, paths.',
    makeFilter: (conf) => {
      const year = new Date().getUTCFullYear();
      return (url) => {
        const rule = trapShape(url, conf, year);
        return { accepted: rule === null, rule };
      };
    },
  },
];
