import type { Conf } from '../../core/conf/properties.js';
import { FtpClient } from '../../net/ftp-client.js';
import { cachingResolver, systemResolve } from '../../net/resolver.js';
import { guardFor } from '../egress-guards.js';
import type { PluginFor, Protocol } from '../extension-points.js';
import { proxyOf } from '../proxy-of.js';

function ftpOf(conf: Conf): Protocol {
  return {
    schemes: ['ftp'],
    limits: { contentLimit: conf['ftp.content.limit'], idleTimeout: conf['ftp.timeout'] },
    open: ({ ownPorts, resolve, talk }) =>
      new FtpClient({
        guard: guardFor('ftp', conf, ownPorts),
        resolve: resolve ?? cachingResolver(systemResolve),
        proxy: proxyOf(conf, ownPorts),
        username: conf['ftp.username'],
        password: conf['ftp.password'],
        talk: conf['ftp.follow.talk'] ? talk : undefined,
      }),
  };
}

/** `protocol-ftp`: fetches ftp (`ftp.*`); not active by default. */
export const ftpProtocol: PluginFor<'makeProtocol'> = {
  id: 'protocol-ftp',
  className: 'org.apache.nutch.protocol.ftp.Ftp',
  description: 'Fetches ftp: files, and directories as pages of links.',
  makeProtocol: ftpOf,
};
