import type { Conf } from '../../core/conf/properties.js';
import { compileExtractRules } from '../../core/extract/extract-rules.js';
import type { ParseFilter } from '../../core/page/parser.js';
import { isReadable, readValues } from '../capped/read-tree.js';
import { type PluginFor, withRules } from '../extension-points.js';

/** `parsefilter-extract`: values extracted by rules from pages of some URLs, as metadata (`parse.extract.rules`). */
export const extractParseFilter: PluginFor<'makeParseFilter'> = {
  id: 'parsefilter-extract',
  className: 'orbweaver.parse.ExtractParseFilter',
  description: 'Extracts values from pages by CSS and XPath, per URL pattern, and stores them as metadata.',
  makeParseFilter: (conf) => filterOf(conf),
};

function filterOf(conf: Conf): ParseFilter {
  const rules = conf['parse.extract.rules'];
  if (rules.trim() === '') return (parsed) => parsed;
  const extractionsFor = withRules('parse.extract.rules', rules, compileExtractRules);
  return (parsed, input) => {
    const extractions = isReadable(parsed) ? extractionsFor(input.page.url) : [];
    if (extractions.length === 0) return parsed;
    return readValues(parsed, input, extractions, conf).then((values) => ({
      ...parsed,
      metadata: { ...parsed.metadata, ...values },
    }));
  };
}
