/**
 * The language that a page declares (Nutch `HTMLLanguageParser`, "detect"): the attribute `lang` of html or a meta
 * `content-language`, a meta `dc.language`, the header Content-Language, in this order.
 */
import type { ParsedPage } from '../page/parser.js';

/** Primary subtag (BCP 47): ISO 639, two or three letters. */
const PRIMARY = /^\s*([A-Za-z]{2,3})(?=$|[\s,;_-])/;

/**
 * The canonical code of a language, as rules and filters have it: `en` of `eng`, `de` of `ger` (BCP 47 §4.5), and `no` of `nb`:
 * Norwegian pages declare either, and their text does not tell which. @param code ISO 639
 */
export function canonicalLanguage(code: string): string {
  const { language } = new Intl.Locale(code);
  return language === 'nb' ? 'no' : language;
}

/** The canonical ISO 639 code of a language tag or a list of them (`en-US, de`): `en`; null for any other text. */
export function primaryLanguage(tag: string): string | null {
  const code = PRIMARY.exec(tag)?.[1]?.toLowerCase() ?? null;
  // `und`: undetermined, `mul`: multiple languages, `zxx`: no linguistic content, `mis`: uncoded.
  return code === null || ['und', 'mul', 'zxx', 'mis'].includes(code) ? null : canonicalLanguage(code);
}

/** The language that a page declares; null for none. @param header Content-Language of the answer */
export function declaredLanguage(parsed: Pick<ParsedPage, 'metadata' | 'facts'>, header: string | null): string | null {
  const metatags = ['dc.language', 'dcterms.language'].flatMap((name) => parsed.facts?.metatags.get(name) ?? []);
  const declared = [parsed.metadata['language'], parsed.metadata['dc:language'], ...metatags, header];
  for (const tag of declared) {
    const code = primaryLanguage(tag ?? '');
    if (code !== null) return code;
  }
  return null;
}
