import type { Conf } from '../../core/conf/properties.js';
import { andThen, type ParseFilter } from '../../core/page/parser.js';
import { isReadable, readMain } from '../capped/read-tree.js';
import type { PluginFor } from '../extension-points.js';

/** `parsefilter-markdown`: the main content of a page as Markdown, as metadata `markdown` (`parse.markdown`). */
export const markdownParseFilter: PluginFor<'makeParseFilter'> = {
  id: 'parsefilter-markdown',
  className: 'orbweaver.parse.MarkdownParseFilter',
  description: 'Converts the main content of a page (all of it, where it has none) to Markdown.',
  makeParseFilter: (conf) => filterOf(conf),
};

function filterOf(conf: Conf): ParseFilter {
  if (!conf['parse.markdown']) return (parsed) => parsed;
  return (parsed, input) => {
    if (!isReadable(parsed)) return parsed;
    return andThen(readMain(parsed, input, conf), ({ markdown }) =>
      markdown === null ? parsed : { ...parsed, metadata: { ...parsed.metadata, markdown } },
    );
  };
}
