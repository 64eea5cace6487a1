import { type IndexingFilter, addField } from './indexing-filter.js';

/** The field `lang` (Nutch `LanguageIndexingFilter`). @param allowed other languages are dropped; empty: none is */
export function indexLanguage(allowed: readonly string[]): IndexingFilter {
  const languages = new Set(allowed.map((language) => language.toLowerCase()));
  return (document, { metadata }) => {
    const language = metadata['lang'] || 'unknown';
    if (languages.size > 0 && !languages.has(language.toLowerCase())) return null;
    addField(document, 'lang', language);
    return document;
  };
}
