/** Known properties that have no effect in a configuration because of another property. */
import { type Conf, type Params, asText, propertyOf } from '../../core/conf/properties.js';
import { chosenIds } from '../../plugin/chosen-by-class.js';
import { activePlugins } from '../../plugin/registry.js';
import { missingPlugins } from './missing-plugins.js';

/** A configuration and the ids of the plugins that run with it, including those chosen by class. */
interface RunningConf {
  conf: Conf;
  plugins: ReadonlySet<string>;
}

interface Condition {
  /** Property names; one that ends with a dot is a prefix. */
  properties: readonly string[];
  /** Why they have no effect; undefined when they have one. */
  why: (running: RunningConf) => string | undefined;
}

const unless = (isEffective: boolean, why: string): string | undefined => (isEffective ? undefined : why);

/** The properties of one plugin: no effect when it does not run. */
const ofPlugin = (id: string, properties: readonly string[]): Condition => ({
  properties,
  why: ({ plugins }) => unless(plugins.has(id), `plugin ${id} is not active (plugin.includes, plugin.includes.also)`),
});

const urlPlugin = (name: string): Condition => ofPlugin(`urlfilter-${name}`, [`urlfilter.${name}.`]);

const simhashOnly = ({ conf, plugins }: RunningConf): string | undefined =>
  unless(
    plugins.has('signature-simhash'),
    `with db.signature.class ${conf['db.signature.class']} only equal signatures are near duplicates; SimHashSignature finds others`,
  );
const templatesUnseen = ({ conf }: RunningConf): string | undefined =>
  unless(conf['trap.template.similar.after'] >= 0, 'trap.template.similar.after is -1: no template is looked at');

const conditions: readonly Condition[] = [
  { properties: ['trap.template.similar.after'], why: simhashOnly },
  { properties: ['trap.template.similar.bits'], why: (running) => templatesUnseen(running) ?? simhashOnly(running) },
  { properties: ['trap.template.similar.share'], why: templatesUnseen },
  { properties: ['deduplication.simhash.distance'], why: simhashOnly },
  {
    properties: ['db.fetch.schedule.adaptive.'],
    why: ({ conf, plugins }) =>
      unless(
        plugins.has('schedule-adaptive') || plugins.has('schedule-mime-adaptive'),
        `db.fetch.schedule.class ${conf['db.fetch.schedule.class']} is not adaptive`,
      ),
  },
  {
    properties: ['db.fetch.schedule.mime.'],
    why: ({ conf, plugins }) =>
      unless(
        plugins.has('schedule-mime-adaptive'),
        `db.fetch.schedule.class ${conf['db.fetch.schedule.class']} is not MimeAdaptiveFetchSchedule`,
      ),
  },
  {
    properties: ['db.fetch.schedule.score.base', 'db.fetch.schedule.score.min_interval'],
    why: ({ conf }) => unless(conf['db.fetch.schedule.score.exponent'] > 0, 'db.fetch.schedule.score.exponent is 0'),
  },
  {
    properties: ['db.fetch.schedule.score.exponent'],
    why: ({ conf, plugins }) =>
      unless(
        ['default', 'adaptive', 'mime-adaptive'].some((name) => plugins.has(`schedule-${name}`)),
        `db.fetch.schedule.class ${conf['db.fetch.schedule.class']} is the schedule of a plugin`,
      ),
  },
  {
    properties: ['db.signature.text_profile.'],
    why: ({ conf, plugins }) =>
      unless(
        plugins.has('signature-text-profile'),
        `db.signature.class ${conf['db.signature.class']} is not TextProfileSignature`,
      ),
  },
  {
    properties: [
      'http.proxy.exception.list',
      'http.proxy.password',
      'http.proxy.port',
      'http.proxy.realm',
      'http.proxy.type',
      'http.proxy.username',
    ],
    why: ({ conf }) => unless(conf['http.proxy.host'].trim() !== '', 'http.proxy.host names no proxy'),
  },
  {
    properties: ['http.agent.rotate.file', 'http.agent.rotate.rules'],
    why: ({ conf }) => unless(conf['http.agent.rotate'], 'http.agent.rotate is false'),
  },
  {
    properties: ['generate.count.mode'],
    why: ({ conf }) =>
      unless(
        conf['generate.max.count'] > 0 || conf['generate.max.count.expr'].trim() !== '',
        'generate.max.count is no limit, and generate.max.count.expr is empty: nothing is counted',
      ),
  },
  {
    properties: ['crawl.gen.delay'],
    why: ({ conf }) => unless(conf['generate.update.crawldb'], 'generate.update.crawldb is false'),
  },
  {
    properties: ['fetcher.bandwidth.target.check.everyNSecs', 'fetcher.maxNum.threads'],
    why: ({ conf }) => unless(conf['fetcher.bandwidth.target'] > 0, 'fetcher.bandwidth.target names no speed'),
  },
  {
    properties: ['fetcher.throughput.threshold.check.after', 'fetcher.throughput.threshold.retries'],
    why: ({ conf }) =>
      unless(conf['fetcher.throughput.threshold.pages'] > 0, 'fetcher.throughput.threshold.pages names no speed'),
  },
  {
    properties: ['fetcher.redirect.dedupcache.size'],
    why: ({ conf }) =>
      unless(conf['fetcher.redirect.dedupcache.seconds'] > 0, 'fetcher.redirect.dedupcache.seconds is no time'),
  },
  ...['automaton', 'domain', 'domaindenylist', 'fast', 'prefix', 'regex', 'suffix'].map(urlPlugin),
  ofPlugin('scoring-depth', ['scoring.depth.']),
  ofPlugin('scoring-orphan', ['scoring.orphan.']),
  ofPlugin('scoring-similarity', ['scoring.similarity.', 'cosine.goldstandard.file']),
  ofPlugin('scoring-metadata', ['scoring.parse.md', 'scoring.content.md']),
  ofPlugin('urlmeta', ['urlmeta.tags']),
  ofPlugin('urlfilter-ignoreexempt', ['db.ignore.external.exemptions.']),
  ofPlugin('headings', ['headings', 'headings.']),
  ofPlugin('index-anchor', ['anchorIndexingFilter.']),
  ofPlugin('index-jexl-filter', ['index.jexl.filter']),
  ofPlugin('index-links', ['index.links.']),
  ofPlugin('index-metadata', [
    'index.content.md',
    'index.db.md',
    'index.metadata',
    'index.metadata.',
    'index.parse.md',
  ]),
  ofPlugin('index-more', ['moreIndexingFilter.']),
  ofPlugin('index-replace', ['index.replace.']),
  ofPlugin('index-static', ['index.static', 'index.static.']),
  ofPlugin('language-identifier', ['lang.identification.only.certain', 'lang.index.languages']),
  ofPlugin('mimetype-filter', ['mimetype.filter.']),
  ofPlugin('subcollection', ['subcollection.', 'subcollections.']),
];

/** A sentence for each param that has no effect in the configuration that it is part of. Default values are not mentioned. */
export function ineffectiveNotices(params: Params, conf: Conf): string[] {
  const changed = Object.keys(params).filter((name) => {
    const property = propertyOf(name);
    return property !== undefined && asText(name, params[name]).trim() !== property.defaultText;
  });
  if (changed.length === 0) return [];
  const chosen = activePlugins(conf);
  const running = { conf, plugins: new Set([...chosen.active, ...chosenIds(conf)]) };
  return changed.flatMap((name) => {
    const why = conditions.find(({ properties }) => properties.some((property) => isOf(name, property)))?.why(running);
    if (why !== undefined) return [`Property ${name} changes nothing with this configuration: ${why}.`];
    return missingPlugins(name, conf, chosen);
  });
}

const isOf = (name: string, property: string): boolean =>
  property.endsWith('.') ? name.startsWith(property) : name === property;
