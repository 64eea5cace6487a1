/** The plugins that come along, one file each. Where no order is given, those of one point run as they stand here. */
import { headingsParseFilter } from './builtin/headings.js';
import { htmlParser } from './builtin/parse-html.js';
import { metatagsParseFilter } from './builtin/parse-metatags.js';
import { pdfParser } from './builtin/parse-pdf.js';
import { textParser } from './builtin/parse-text.js';
import { adaptiveSchedule } from './builtin/schedule-adaptive.js';
import { defaultSchedule } from './builtin/schedule-default.js';
import { mimeAdaptiveSchedule } from './builtin/schedule-mime-adaptive.js';
import { md5 } from './builtin/signature-md5.js';
import { simHash } from './builtin/signature-simhash.js';
import { textMd5 } from './builtin/signature-text-md5.js';
import { textProfile } from './builtin/signature-text-profile.js';
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
  defaultSchedule,
  adaptiveSchedule,
  mimeAdaptiveSchedule,
  md5,
  textMd5,
  textProfile,
  simHash,
];
