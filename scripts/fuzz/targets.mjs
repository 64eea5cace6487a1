/**
 * The fuzzed code: all parsers of untrusted bytes or of users' expressions, from the build in dist. A target names its corpus and
 * its declared errors, and runs one input; any other error is a finding. `slow` targets run in the capped process, which ends
 * work that takes too much time or memory: that is not a finding.
 */
import { parse, serialize } from 'parse5';
import { defaults, parseConf } from '../../dist/src/core/conf/properties.js';
import { readContent } from '../../dist/src/core/html-document/read-document.js';
import { compileExpression } from '../../dist/src/core/frontier/expression.js';
import { compileExtractRules } from '../../dist/src/core/extract/extract-rules.js';
import { decode } from '../../dist/src/core/html/charset.js';
import { addRobotsTag } from '../../dist/src/core/html/robots-directives.js';
import { declaredLanguage } from '../../dist/src/core/language/declared-language.js';
import { isoDate } from '../../dist/src/core/pdf/read-pdf.js';
import { typeOfDocument } from '../../dist/src/core/page/content-type.js';
import { parseHttpDate } from '../../dist/src/core/http/http-date.js';
import { parseMimeType } from '../../dist/src/core/page/mime.js';
import { parseSeedLine } from '../../dist/src/core/page/seed-line.js';
import { parsePage } from '../../dist/src/core/page/parse-page.js';
import { parseRobots } from '../../dist/src/core/robots/robots-file.js';
import { judge } from '../../dist/src/core/robots/robots-verdict.js';
import { parseSitemap } from '../../dist/src/core/sitemap/sitemap.js';
import { parseDatetime } from '../../dist/src/core/w3c-datetime.js';
import { PageBudget } from '../../dist/src/core/tree/page-budget.js';
import { parseTree } from '../../dist/src/core/tree/parse-tree.js';
import { compileRegexFilter } from '../../dist/src/core/url/filter-regex.js';
import { resolveUrl } from '../../dist/src/core/url/resolve.js';
import { reverseUrl, unreverseUrl } from '../../dist/src/core/url/row-key.js';
import { retryAfter } from '../../dist/src/core/politeness/back-off.js';
import { readHostLines } from '../../dist/src/core/page/host-lines.js';
import { decodeBody } from '../../dist/src/net/content-coding.js';
import { CappedProcess } from '../../dist/src/plugin/capped/capped-process.js';
import { makeParseChain } from '../../dist/src/plugin/parse-chain.js';
import { makeUrlRules } from '../../dist/src/plugin/url-rules.js';

const every = parseConf({
  'plugin.includes': '.*',
  'plugin.excludes': 'urlfilter-(fast|automaton|prefix|domaindenylist)',
}).conf;
const chain = makeParseChain(every);
const rules = [makeUrlRules(defaults), makeUrlRules(every)];
const URL = 'http://site.test/a/b?c';
const caps = { seconds: 3, megabytes: 384 };
/** Maximum of characters of main content; maximum of steps of a page in a worker (src/plugin/capped/read-tree.ts). */
const MOST = 10_000;
const STEPS = 24 << 20;
const cappedProcess = new CappedProcess();

/** Runs the parser of a type directly: `parsePage` would convert errors to parse failures. */
function parserOf(type, contentType = type) {
  const [parser] = chain.parsersOf(type);
  if (parser === undefined) throw new Error(`no parser for ${type}`);
  return (content) => parser.run({ content, page: { url: URL, contentType }, type, props: { ...every } });
}

const text = (run) => (bytes) => run(bytes.toString());

/** @type {Record<string, { corpus: string, run: (bytes: Buffer) => unknown, declared?: string[], slow?: boolean }>} */
export const targets = {
  html: { corpus: 'html', run: parserOf('text/html') },
  xhtml: { corpus: 'html', run: parserOf('application/xhtml+xml') },
  text: { corpus: 'html', run: parserOf('text/plain') },
  page: {
    corpus: 'html',
    run: (content) => parsePage(content, { url: URL, contentType: null }, every, makeFast(chain)),
  },
  tree: { corpus: 'html', declared: ['PageLimitError'], run: text(sameTree) },
  content: {
    corpus: 'html',
    declared: ['PageLimitError'],
    run: (content) => {
      const { markdown } = readContent(contentOf(content), new PageBudget(STEPS));
      if ((markdown?.length ?? 0) > MOST) throw new Error('more Markdown than asked for');
    },
  },
  feed: { corpus: 'feed', run: parserOf('application/rss+xml') },
  xml: { corpus: 'feed', run: parserOf('application/xml') },
  json: { corpus: 'feed', run: parserOf('application/ld+json') },
  script: { corpus: 'html', run: parserOf('text/javascript') },
  sitemap: { corpus: 'sitemap', run: (bytes) => parseSitemap(bytes, { url: URL, strict: false }) },
  robots: {
    corpus: 'robots',
    run: (bytes) => {
      const robots = parseRobots(bytes);
      for (const path of ['/', '/a/b/c', `/${bytes.toString('latin1').slice(0, 500)}`])
        judge(robots, ['a', 'bot'], path);
    },
  },
  charset: {
    corpus: 'html',
    run: (bytes) =>
      decode(
        bytes,
        bytes[0] % 2 ? null : `text/html; charset=${bytes.toString('latin1').slice(0, 20)}`,
        'utf-8',
        bytes[1] % 2 ? 50 : -1,
      ),
  },
  coding: {
    corpus: 'coded',
    run: async (bytes) => {
      const limit = 1_048_576;
      for (const header of ['gzip', 'deflate', 'br', 'zstd', 'gzip, deflate', bytes.toString('latin1').slice(0, 30)]) {
        const decoded = await decodeBody(header, bytes, { limit, complete: bytes.length % 2 === 0 });
        if ((decoded?.body.length ?? 0) > Math.max(limit, bytes.length))
          throw new Error(`${header}: more than the limit`);
      }
    },
  },
  url: {
    corpus: 'urls',
    run: text((url) => {
      for (const each of rules) {
        const admitted = each.admit(url, 'outlink', { normalize: true, filter: true });
        if ('url' in admitted) unreverseUrl(reverseUrl(admitted.url));
      }
      resolveUrl(url, URL);
      resolveUrl('x/../y', url);
    }),
  },
  key: { corpus: 'urls', declared: ['MalformedUrlError'], run: text((url) => unreverseUrl(reverseUrl(url))) },
  seed: { corpus: 'lines', run: text((line) => [parseSeedLine(line), readHostLines(line)]) },
  headers: {
    corpus: 'headers',
    run: text((line) => {
      parseHttpDate(line);
      parseDatetime(line);
      parseMimeType(line);
      retryAfter(line, 0, 1_000);
      isoDate(line);
      declaredLanguage({ metadata: {} }, line);
      addRobotsTag({ noindex: false, nofollow: false, nocache: false }, line, new Set(['bot']), 0);
      typeOfDocument({ contentType: line, name: URL, content: Buffer.from(line) });
    }),
  },
  extract: { corpus: 'lines', declared: ['RuleError'], run: text((line) => compileExtractRules(line)(URL)) },
  filter: {
    corpus: 'rules',
    declared: ['RuleError'],
    run: text((lines) => compileRegexFilter(lines)(`${URL}${'a'.repeat(2_000)}`)),
  },
  expression: { corpus: 'rules', declared: ['ExpressionError'], run: text((line) => compileExpression(line)) },
  pdf: {
    corpus: 'pdf',
    slow: true,
    declared: ['CappedWorkError'],
    run: (content) =>
      cappedProcess.run('pdf', { content, url: URL, maxPages: 50, maxText: 100_000, maxLinks: 100 }, caps),
  },
  document: {
    corpus: 'html',
    slow: true,
    declared: ['CappedWorkError'],
    run: (content) => cappedProcess.run('document', documentOf(content), caps),
  },
};

function contentOf(content) {
  return { content, contentType: null, charset: null, base: URL, readable: MOST, markdown: MOST };
}

/** Checks that our tree equals that of parse5. */
function sameTree(page) {
  const tree = parseTree(page, new PageBudget(STEPS));
  if (tree.markup.serialize(tree) !== serialize(parse(page, { scriptingEnabled: false }), { scriptingEnabled: false }))
    throw new Error("the tree is not parse5's");
}

const documentOf = (content) => ({
  ...contentOf(content),
  extractions: compileExtractRules('a\t.\tcss\ta\t@href\tall\nb\t.\txpath\t//p/text()\tnumber')(URL),
});

/** The chain without the parsers that run in the capped process. */
function makeFast({ parsersOf, signature }) {
  return { parsersOf: (type) => (/pdf/.test(type) ? [] : parsersOf(type)), filters: [], signature };
}

/**
 * Whether the target declares the error.
 * @param {{ declared?: string[] }} target
 * @param {unknown} error
 */
export const isDeclared = ({ declared = [] }, error) => error instanceof Error && declared.includes(error.name);

/** Ends the processes that targets have started. */
export const endTargets = () => cappedProcess.end();
