import { compileProtocolRules } from '../../core/url/normalize-protocol.js';
import { type PluginFor, withRules } from '../extension-points.js';
import { oncePerConf } from '../once-per-conf.js';
import { rewriting } from '../rewriting.js';

const PROPERTY = 'urlnormalizer.protocols.rules';
const rewrite = oncePerConf((conf) => withRules(PROPERTY, conf[PROPERTY], compileProtocolRules));

/** `urlnormalizer-protocol`: one scheme for sites that answer to both, by host (unset: none is changed). */
export const protocolNormalizer: PluginFor<'makeNormalizer'> = {
  id: 'urlnormalizer-protocol',
  className: 'org.apache.nutch.net.urlnormalizer.protocol.ProtocolURLNormalizer',
  description: 'One scheme for sites that answer to http and https, by host.',
  makeNormalizer: (conf) => rewriting(rewrite(conf)),
};
