/** The built-in plugins. Without an order property, plugins of one point run in the order of this list. */
import { jexlExchange } from './builtin/exchange-jexl.js';
import { indexWriters } from './builtin/index-writers.js';
import { indexingFilters } from './builtin/indexing-filters.js';
import { languageIdentifier } from './builtin/language-identifier.js';
import { pdfParser } from './builtin/parse-pdf.js';
import { extractParseFilter } from './builtin/parsefilter-extract.js';
import { markdownParseFilter } from './builtin/parsefilter-markdown.js';
import { readableParseFilter } from './builtin/parsefilter-readable.js';
import { metadataParseFilters } from './builtin/parse-filters.js';
import { parsers } from './builtin/parsers.js';
import { fileProtocol } from './builtin/protocol-file.js';
import { ftpProtocol } from './builtin/protocol-ftp.js';
import { schedules } from './builtin/schedules.js';
import { depthScoring } from './builtin/scoring-depth.js';
import { opicScoring } from './builtin/scoring-opic.js';
import { similarityScoring } from './builtin/scoring-similarity.js';
import { linkScoring, metadataScoring, orphanScoring, urlMeta } from './builtin/scoring-filters.js';
import { signatures } from './builtin/signatures.js';
import { urlFilters } from './builtin/url-filters.js';
import { blacklistFilter } from './builtin/urlfilter-blacklist.js';
import { urlNormalizers } from './builtin/url-normalizers.js';
import { ignoreExempt } from './builtin/urlfilter-ignoreexempt.js';
import { basicNormalizer } from './builtin/urlnormalizer-basic.js';
import { regexNormalizer } from './builtin/urlnormalizer-regex.js';
import type { Plugin } from './extension-points.js';

export const builtinPlugins: readonly Plugin[] = [
  basicNormalizer,
  regexNormalizer,
  ...urlNormalizers,
  ...urlFilters,
  blacklistFilter,
  ignoreExempt,
  ...parsers,
  pdfParser,
  ...metadataParseFilters,
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
  ...schedules,
  ...signatures,
  ...indexingFilters,
  ...indexWriters,
  jexlExchange,
  ftpProtocol,
  fileProtocol,
];
