/** The plugins that come along, one file each. Where no order is given, those of one point run as they stand here. */
import { headingsParseFilter } from './builtin/headings.js';
import { htmlParser } from './builtin/parse-html.js';
import { metatagsParseFilter } from './builtin/parse-metatags.js';
import { pdfParser } from './builtin/parse-pdf.js';
import { textParser } from './builtin/parse-text.js';
import { domainFilter } from './builtin/urlfilter-domain.js';
import { regexFilter } from './builtin/urlfilter-regex.js';
import { suffixFilter } from './builtin/urlfilter-suffix.js';
import { basicNormalizer } from './builtin/urlnormalizer-basic.js';
import { passNormalizer } from './builtin/urlnormalizer-pass.js';
import { regexNormalizer } from './builtin/urlnormalizer-regex.js';
import type { Plugin } from './extension-points.js';

export const builtinPlugins: readonly Plugin[] = [
  basicNormalizer,
  regexNormalizer,
  passNormalizer,
  regexFilter,
  suffixFilter,
  domainFilter,
  htmlParser,
  textParser,
  pdfParser,
  metatagsParseFilter,
  headingsParseFilter,
];
