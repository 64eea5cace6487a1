import type { Conf } from '../../core/conf/properties.js';
import { andThen, type ParsedPage, type ParseFilter } from '../../core/page/parser.js';
import { isReadable, isTextOfMain, readMain } from '../capped/read-tree.js';
import type { PluginFor } from '../extension-points.js';

/**
 * `parsefilter-readable`: the main content of a page, as metadata `readable` (`parse.readable`) or, as in Nutch's
 * parse-tika with Boilerpipe, instead of the text (`tika.extractor`, `tika.boilerpipe`). A page without main content keeps
 * its text.
 */
export const readableParseFilter: PluginFor<'makeParseFilter'> = {
  id: 'parsefilter-readable',
  className: 'orbweaver.parse.ReadableParseFilter',
  description: 'Finds the main content of a page, without navigation and advertisements.',
  makeParseFilter: (conf) => filterOf(conf),
};

function filterOf(conf: Conf): ParseFilter {
  const asMetadata = conf['parse.readable'];
  const asText = isTextOfMain(conf);
  if (!asMetadata && !asText) return (parsed) => parsed;
  const limit = conf['parse.readable.limit'];
  const replaces = ({ type }: ParsedPage) => asText && conf['tika.extractor.boilerpipe.mime.types'].includes(type);
  return (parsed, input) => {
    if (!isReadable(parsed) || !(asMetadata || replaces(parsed))) return parsed;
    return andThen(readMain(parsed, input, conf), ({ readable: text }) =>
      text === null
        ? parsed
        : {
            ...parsed,
            ...(replaces(parsed) && { text: text.slice(0, conf['parser.text.limit']) }),
            ...(asMetadata && { metadata: { ...parsed.metadata, readable: text.slice(0, limit) } }),
          },
    );
  };
}
