import { flag, text } from './property.js';

/** Which plugins are active (Nutch `plugin.*`). */
export const pluginProperties = {
  'plugin.auto-activation': flag(true, 'Plugins that an active one requires are active too, unless excluded.'),
  'plugin.excludes': text('', 'Plugins left out: an expression over their names.'),
  'plugin.includes': text(
    'protocol-http|urlfilter-(regex|suffix|domain|trap|blacklist)|parse-(html|text|metatags|pdf|sitemap|json|xml)|feed|parsefilter-(extract|readable|markdown)|index-(basic|anchor|more)|exchange-jexl|indexer-postgres|scoring-opic|urlnormalizer-(pass|regex|basic)',
    'Plugins that are active: an expression over their names.',
  ),
  'plugin.includes.also': text(
    '',
    'Plugins that are active besides those of plugin.includes, so that its default need not be repeated: an expression.',
  ),
};
