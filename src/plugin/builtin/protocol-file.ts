import type { Conf } from '../../core/conf/properties.js';
import { FileClient } from '../../net/file-client.js';
import type { PluginFor, Protocol } from '../extension-points.js';

/** Without roots no URL of a file enters the crawl, nor can one be read. */
function protocolOfFiles(conf: Conf): Protocol {
  const roots = conf['file.crawl.roots'];
  return {
    schemes: roots.length > 0 ? ['file'] : [],
    limits: { contentLimit: conf['file.content.limit'] },
    open: () =>
      new FileClient({
        roots,
        parent: conf['file.crawl.parent'],
        redirect: conf['file.crawl.redirect_noncanonical'],
      }),
  };
}

/** `protocol-file`: fetches file (`file.*`); not active by default. */
export const fileProtocol: PluginFor<'makeProtocol'> = {
  id: 'protocol-file',
  className: 'org.apache.nutch.protocol.file.File',
  description: 'Fetches local files below file.crawl.roots, and directories as pages of links.',
  makeProtocol: protocolOfFiles,
};
