/**
 * The index writers of a configuration: those of `indexer.indexwriters.rules` whose plugin is active, or, without rules,
 * one of each active plugin that needs no parameters. As in Nutch, whose file lists writers for all its plugins, writers
 * of inactive plugins are ignored.
 */
import type { Conf } from '../core/conf/properties.js';
import { type FieldMapping, NO_MAPPING } from '../core/indexing/field-mapping.js';
import { readWritersXml, type WriterConfig } from '../core/indexing/writers-xml.js';
import type { IndexWriter } from '../core/indexing/index-writer.js';
import { type PluginFor, type WriterContext, type WriterParameters, withRules } from './extension-points.js';
import { hasCredentials } from './index-writer/engine.js';
import { activePlugins, pluginsFor } from './registry.js';

type WriterPlugin = PluginFor<'makeIndexWriter'>;

const RULES = 'indexer.indexwriters.rules';

/** A writer of a configuration. */
export interface ChosenWriter {
  readonly id: string;
  readonly mapping: FieldMapping;
  /** Its plugin's id. */
  readonly plugin: string;
  /** Several tasks may have it open at the same time. */
  readonly writesConcurrently: boolean;
  /** @param over parameters that replace those of the rules */
  open(context: Omit<WriterContext, 'writerId'>, over: WriterParameters): IndexWriter;
}

/** @throws RulesRefused for invalid rules */
export function chosenWriters(conf: Conf): ChosenWriter[] {
  const { active } = activePlugins(conf);
  return configured(conf).flatMap(({ config, plugin }) => {
    if (!plugin || !active.has(plugin.id)) return [];
    const { id, mapping, parameters } = config;
    return {
      id,
      mapping,
      plugin: plugin.id,
      writesConcurrently: plugin.writesConcurrently === true,
      open: (context, over) => plugin.makeIndexWriter(conf, { ...parameters, ...over }, { ...context, writerId: id }),
    };
  });
}

/** Active plugins that need an entry in the rules, if there are no rules: Nutch's `plugin.includes` names one, indexer-solr. */
export function writersWithoutEntry(conf: Conf): string[] {
  if (conf[RULES].trim() !== '') return [];
  const { active } = activePlugins(conf);
  return pluginsFor('makeIndexWriter')
    .filter(({ id, writesWithoutParameters }) => active.has(id) && writesWithoutParameters !== true)
    .map(({ id }) => id);
}

/** The writers of the rules that no active plugin has, each with its plugin or class. */
export function ignoredWriters(conf: Conf): string[] {
  if (conf[RULES].trim() === '') return [];
  const { active } = activePlugins(conf);
  return configured(conf)
    .filter(({ plugin }) => !plugin || !active.has(plugin.id))
    .map(({ config }) => `${config.id} (${config.plugin})`);
}

/** The plugins whose writers take credentials from `indexer.credentials` only, and refuse them among their parameters. */
const ofEngines = new Set(['indexer-solr', 'indexer-elastic', 'indexer-opensearch-1x', 'indexer-webhook']);

/** The writers of the rules that INDEX will refuse, because they have credentials among their parameters. */
export function writersWithCredentials(conf: Conf): string[] {
  return configured(conf)
    .filter(({ config, plugin }) => plugin && ofEngines.has(plugin.id) && hasCredentials(config.parameters))
    .map(({ config }) => config.id);
}

/** The writers of the rules; undefined for a plugin that is not implemented here, such as a class of Nutch. */
function configured(conf: Conf): { config: WriterConfig; plugin: WriterPlugin | undefined }[] {
  const plugins = pluginsFor('makeIndexWriter');
  if (conf[RULES].trim() === '')
    return plugins
      .filter(({ writesWithoutParameters }) => writesWithoutParameters === true)
      .map((plugin) => ({ plugin, config: { id: plugin.id, plugin: plugin.id, parameters: {}, mapping: NO_MAPPING } }));
  return withRules(RULES, conf[RULES], readWritersXml).map((config) => ({
    config,
    plugin: plugins.find(({ id, className }) => config.plugin === id || config.plugin === className),
  }));
}
