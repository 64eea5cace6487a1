import type { Conf } from '../../core/conf/properties.js';
import { indexLanguage } from '../../core/indexing/index-language.js';
import { declaredLanguage } from '../../core/language/declared-language.js';
import { identifiedLanguage } from '../../core/language/identified-language.js';
import { PARSE_MINOR } from '../../core/page/parse-status.js';
import type { ParseFilter } from '../../core/page/parser.js';
import type { PluginFor } from '../extension-points.js';

/** `language-identifier`: the language of a page as metadata `lang` (Nutch `lang.*`). */
export const languageIdentifier: PluginFor<'makeParseFilter' | 'makeIndexingFilter'> = {
  id: 'language-identifier',
  className: 'org.apache.nutch.analysis.lang.HTMLLanguageParser',
  description:
    'Identifies the language of a page, as declared or from its text, and stores it as metadata and field `lang`.',
  makeParseFilter: (conf) => filterOf(conf),
  makeIndexingFilter: (conf) => indexLanguage(conf['lang.index.languages']),
};

function filterOf(conf: Conf): ParseFilter {
  const ways = conf['lang.extraction.policy'].split(',');
  const maxLength = conf['lang.analyze.max.length'];
  const onlyCertain = conf['lang.identification.only.certain'];
  return async (parsed, { page }) => {
    if (parsed.status.minor === PARSE_MINOR.redirect) return parsed;
    for (const way of ways) {
      const lang =
        way === 'detect'
          ? declaredLanguage(parsed, page.contentLanguage ?? null)
          : await identifiedLanguage(`${parsed.title}\n${parsed.text}`, maxLength, onlyCertain);
      if (lang !== null) return { ...parsed, metadata: { ...parsed.metadata, lang } };
    }
    return parsed;
  };
}
