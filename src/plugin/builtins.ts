/** The plugins that come along, one file each. Where no order is given, those of one point run as they stand here. */
import { feedParser } from './builtin/feed.js';
import { headingsParseFilter } from './builtin/headings.js';
import { languageIdentifier } from './builtin/language-identifier.js';
import { htmlParser } from './builtin/parse-html.js';
import { jsParser } from './builtin/parse-js.js';
import { jsonLdParser } from './builtin/parse-json.js';
import { metatagsParseFilter } from './builtin/parse-metatags.js';
import { pdfParser } from './builtin/parse-pdf.js';
import { sitemapParser } from './builtin/parse-sitemap.js';
import { textParser } from './builtin/parse-text.js';
import { xmlParser } from './builtin/parse-xml.js';
import { extractParseFilter } from './builtin/parsefilter-extract.js';
import { markdownParseFilter } from './builtin/parsefilter-markdown.js';
import { readableParseFilter } from './builtin/parsefilter-readable.js';
import { adaptiveSchedule } from './builtin/schedule-adaptive.js';
import { defaultSchedule } from './builtin/schedule-default.js';
import { mimeAdaptiveSchedule } from './builtin/schedule-mime-adaptive.js';
import { depthScoring } from './builtin/scoring-depth.js';
import { linkScoring } from './builtin/scoring-link.js';
import { metadataScoring } from './builtin/scoring-metadata.js';
import { opicScoring } from './builtin/scoring-opic.js';
import { orphanScoring } from './builtin/scoring-orphan.js';
import { similarityScoring } from './builtin/scoring-similarity.js';
import { md5 } from './builtin/signature-md5.js';
import { simHash } from './builtin/signature-simhash.js';
import { textMd5 } from './builtin/signature-text-md5.js';
import { textProfile } from './builtin/signature-text-profile.js';
import { automatonFilter } from './builtin/urlfilter-automaton.js';
import { domainFilter } from './builtin/urlfilter-domain.js';
import { domainDenyFilter } from './builtin/urlfilter-domaindenylist.js';
import { fastFilter } from './builtin/urlfilter-fast.js';
import { ignoreExempt } from './builtin/urlfilter-ignoreexempt.js';
import { prefixFilter } from './builtin/urlfilter-prefix.js';
import { regexFilter } from './builtin/urlfilter-regex.js';
import { suffixFilter } from './builtin/urlfilter-suffix.js';
import { trapFilter } from './builtin/urlfilter-trap.js';
import { validatorFilter } from './builtin/urlfilter-validator.js';
import { ajaxNormalizer } from './builtin/urlnormalizer-ajax.js';
import { basicNormalizer } from './builtin/urlnormalizer-basic.js';
import { hostNormalizer } from './builtin/urlnormalizer-host.js';
import { passNormalizer } from './builtin/urlnormalizer-pass.js';
import { protocolNormalizer } from './builtin/urlnormalizer-protocol.js';
import { querystringNormalizer } from './builtin/urlnormalizer-querystring.js';
import { regexNormalizer } from './builtin/urlnormalizer-regex.js';
import { slashNormalizer } from './builtin/urlnormalizer-slash.js';
import { urlMeta } from './builtin/urlmeta.js';
import type { Plugin } from './extension-points.js';

export const builtinPlugins: readonly Plugin[] = [
  basicNormalizer,
  regexNormalizer,
  hostNormalizer,
  protocolNormalizer,
  slashNormalizer,
  querystringNormalizer,
  ajaxNormalizer,
  passNormalizer,
  regexFilter,
  suffixFilter,
  domainFilter,
  domainDenyFilter,
  prefixFilter,
  automatonFilter,
  fastFilter,
  validatorFilter,
  trapFilter,
  ignoreExempt,
  htmlParser,
  textParser,
  feedParser,
  sitemapParser,
  jsonLdParser,
  xmlParser,
  jsParser,
  pdfParser,
  metatagsParseFilter,
  headingsParseFilter,
  extractParseFilter,
  readableParseFilter,
  markdownParseFilter,
  languageIdentifier,
  opicScoring,
  linkScoring,
  depthScoring,
  similarityScoring,
  metadataScoring,
  urlMeta,
  orphanScoring,
  defaultSchedule,
  adaptiveSchedule,
  mimeAdaptiveSchedule,
  md5,
  textMd5,
  textProfile,
  simHash,
];
