import { parseConf } from '../../src/core/conf/properties.js';
import type { IndexWriter } from '../../src/core/indexing/index-writer.js';
import type { WriterContext } from '../../src/plugin/extension-points.js';
import { type ChosenWriter, chosenWriters } from '../../src/plugin/index-writers.js';

/** A writer in a configuration: its plugin and its parameters. */
export interface WriterSettings {
  plugin: string;
  parameters: Record<string, string>;
}

const ESCAPES: Record<string, string> = { '&': '&amp;', '"': '&quot;', '\t': '&#9;' };

/** The writer `w` of a configuration with these properties, and no other. */
export function chosenWriter(
  { plugin, parameters }: WriterSettings,
  params: Record<string, string> = {},
): ChosenWriter {
  const elements = Object.entries(parameters)
    .map(([name, value]) => `<param name="${name}" value="${value.replaceAll(/[&"\t]/g, (each) => ESCAPES[each]!)}"/>`)
    .join('');
  const { conf } = parseConf({
    'plugin.includes.also': plugin,
    'indexer.indexwriters.rules': `<writers><writer id="w" class="${plugin}"><parameters>${elements}</parameters></writer></writers>`,
    ...params,
  });
  return chosenWriters(conf)[0]!;
}

/** Opens a writer as the first task of job `j` of crawl `k`. @param more its folder and position, if it writes files */
export function openWriter(writer: ChosenWriter, more: Partial<WriterContext> = {}): IndexWriter {
  return writer.open(
    {
      crawlId: 'k',
      job: 'j',
      part: 0,
      ownPorts: [],
      openBuiltIn: () => {
        throw new Error('it is not the built-in index');
      },
      folder: null,
      position: null,
      ...more,
    },
    {},
  );
}
