/**
 * Pairs of properties: one names a file of rules, the other contains the same rules inline.
 *
 * Nutch reads rule files from its conf folder; here they are stored by name (rule-file.store.ts), and no path of a
 * request ever reaches the file system. If the inline property has its default and the other names a stored file, the
 * content of the file becomes the value of the inline property: in every check of a configuration, and finally
 * in the snapshot that a job uses. So code that needs the rules reads the inline property and does not know files.
 *
 * To have a file for your rules: make the two properties, `ruleFile(…)` and `rules(…)`, and add a line here.
 */
import type { PropertyName } from './properties.js';

export interface RuleFilePair {
  /** Names the file; its default is the name under which Nutch ships it. */
  readonly file: PropertyName;
  /** The inline rules; a `rules` property. */
  readonly rules: PropertyName;
}

export const ruleFilePairs: readonly RuleFilePair[] = [
  { file: 'cosine.goldstandard.file', rules: 'scoring.similarity.gold.text' },
  { file: 'http.agent.host.cookie.file', rules: 'http.agent.host.cookie.rules' },
  { file: 'http.agent.rotate.file', rules: 'http.agent.rotate.rules' },
  { file: 'http.auth.file', rules: 'http.auth.rules' },
  { file: 'db.fetch.schedule.adaptive.host.file', rules: 'db.fetch.schedule.adaptive.host.rules' },
  { file: 'db.fetch.schedule.mime.file', rules: 'db.fetch.schedule.mime.rules' },
  { file: 'db.ignore.external.exemptions.file', rules: 'db.ignore.external.exemptions.rules' },
  { file: 'exchanges.exchanges.file', rules: 'exchanges.exchanges.rules' },
  { file: 'indexer.indexwriters.file', rules: 'indexer.indexwriters.rules' },
  { file: 'mimetype.filter.file', rules: 'mimetype.filter.rules' },
  { file: 'moreIndexingFilter.mapMimeTypes.file', rules: 'moreIndexingFilter.mapMimeTypes.rules' },
  { file: 'subcollections.config', rules: 'subcollections.rules' },
  { file: 'parse.plugin.file', rules: 'parser.plugins' },
  { file: 'urlfilter.automaton.file', rules: 'urlfilter.automaton.rules' },
  { file: 'scoring.similarity.stopword.file', rules: 'scoring.similarity.stop.words' },
  { file: 'urlfilter.domain.file', rules: 'urlfilter.domain.rules' },
  { file: 'urlfilter.domaindenylist.file', rules: 'urlfilter.domaindenylist.rules' },
  { file: 'urlfilter.fast.file', rules: 'urlfilter.fast.rules' },
  { file: 'urlfilter.prefix.file', rules: 'urlfilter.prefix.rules' },
  { file: 'urlfilter.regex.file', rules: 'urlfilter.regex.rules' },
  { file: 'urlfilter.suffix.file', rules: 'urlfilter.suffix.rules' },
  { file: 'urlnormalizer.hosts.file', rules: 'urlnormalizer.hosts.rules' },
  { file: 'urlnormalizer.protocols.file', rules: 'urlnormalizer.protocols.rules' },
  { file: 'urlnormalizer.slashes.file', rules: 'urlnormalizer.slashes.rules' },
  { file: 'urlnormalizer.regex.file', rules: 'urlnormalizer.regex.rules' },
  { file: 'urlnormalizer.regex.file.crawldb', rules: 'urlnormalizer.regex.rules.crawldb' },
  { file: 'urlnormalizer.regex.file.default', rules: 'urlnormalizer.regex.rules.default' },
  { file: 'urlnormalizer.regex.file.exempted', rules: 'urlnormalizer.regex.rules.exempted' },
  { file: 'urlnormalizer.regex.file.fetcher', rules: 'urlnormalizer.regex.rules.fetcher' },
  { file: 'urlnormalizer.regex.file.generate_host_count', rules: 'urlnormalizer.regex.rules.generate_host_count' },
  { file: 'urlnormalizer.regex.file.indexer', rules: 'urlnormalizer.regex.rules.indexer' },
  { file: 'urlnormalizer.regex.file.inject', rules: 'urlnormalizer.regex.rules.inject' },
  { file: 'urlnormalizer.regex.file.linkdb', rules: 'urlnormalizer.regex.rules.linkdb' },
  { file: 'urlnormalizer.regex.file.outlink', rules: 'urlnormalizer.regex.rules.outlink' },
  { file: 'urlnormalizer.regex.file.partition', rules: 'urlnormalizer.regex.rules.partition' },
];
