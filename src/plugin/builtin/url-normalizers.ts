/** Normalizers other than basic and regex. Those with rules change nothing where their property is empty. */
import type { Normalizer } from '../../core/url/url-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import { escapeFragment, unescapeFragment } from '../../core/url/normalize-ajax.js';
import { compileHostRules } from '../../core/url/normalize-host.js';
import { compileProtocolRules } from '../../core/url/normalize-protocol.js';
import { sortQuery } from '../../core/url/normalize-querystring.js';
import { compileSlashRules } from '../../core/url/normalize-slash.js';
import type { RewriteUrl } from '../../core/url/rewrite-result.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';

type RulesProperty = `urlnormalizer.${'hosts' | 'protocols' | 'slashes'}.rules`;

/** A normalizer by rules, of which at most one changes a URL. They are compiled once for each configuration. */
function byRules(property: RulesProperty, compile: (rules: string) => RewriteUrl): (conf: Conf) => Normalizer {
  const rewriteOf = oncePerConf((conf) => withRules(property, conf[property], compile));
  return (conf) => {
    const rewrite = rewriteOf(conf);
    return {
      normalize: (url) => rewrite(url).url,
      appliedRules: (url) => {
        const { rule } = rewrite(url);
        return rule === null ? [] : [rule];
      },
    };
  };
}

/** For a scope that should have no normalizer. */
export const passNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-pass',
  className: 'org.apache.nutch.net.urlnormalizer.pass.PassURLNormalizer',
  description: 'Leaves every URL unchanged.',
  makeNormalizer: () => ({ normalize: (url) => url }),
};

export const urlNormalizers: readonly PluginFor<'makeNormalizer'>[] = [
  {
    id: 'urlnormalizer-host',
    className: 'org.apache.nutch.net.urlnormalizer.host.HostURLNormalizer',
    description: 'Maps several host names of a site to one.',
    makeNormalizer: byRules('urlnormalizer.hosts.rules', compileHostRules),
  },
  {
    id: 'urlnormalizer-protocol',
    className: 'org.apache.nutch.net.urlnormalizer.protocol.ProtocolURLNormalizer',
    description: 'Sets one scheme for sites that serve http and https, by host.',
    makeNormalizer: byRules('urlnormalizer.protocols.rules', compileProtocolRules),
  },
  {
    id: 'urlnormalizer-slash',
    className: 'org.apache.nutch.net.urlnormalizer.slash.SlashURLNormalizer',
    description: 'Adds or removes the slash at the end of paths, by host.',
    makeNormalizer: byRules('urlnormalizer.slashes.rules', compileSlashRules),
  },
  {
    id: 'urlnormalizer-querystring',
    className: 'org.apache.nutch.net.urlnormalizer.querystring.QuerystringURLNormalizer',
    description: 'Sorts query parameters.',
    makeNormalizer: () => ({ normalize: sortQuery }),
  },
  {
    id: 'urlnormalizer-ajax',
    className: 'org.apache.nutch.net.urlnormalizer.ajax.AjaxURLNormalizer',
    description: 'Turns #! into the parameter _escaped_fragment_, and back in scope indexer.',
    makeNormalizer: (_, scope) => ({ normalize: scope === 'indexer' ? unescapeFragment : escapeFragment }),
  },
  passNormalizer,
];
