/**
 * Work that needs a page as a tree: pages per second and core, by CPU time, and the number of pages with the same result as
 * jsdom.
 *
 * `own` is the work of the capped process on a page (decode, tree, references, then the requested results); `jsdom` the same with
 * jsdom's tree, Readability and Turndown, for comparison. JSDOM=0 skips jsdom, which takes most of the time.
 */
import { setImmediate as otherWork } from 'node:timers/promises';
import { jsdomPage } from '../dist/src/core/html-document/jsdom-page.js';
import { makeDocumentReader } from '../dist/src/core/html-document/read-document.js';
import { compileExtractRules } from '../dist/src/core/extract/extract-rules.js';
import { extractValues } from '../dist/src/core/extract/extract-values.js';
import { ReferenceResolver } from '../dist/src/core/html/reference-resolver.js';
import { table } from './database.mjs';
import { oracleContent, oracleMarkdown } from './reader-oracle.mjs';

const readDocument = makeDocumentReader();

const LIMIT = 100_000;
/** Values of a page of documentation, by every kind of rule. */
const RULES = [
  'title\t.\tcss\th1',
  'section\t.\tcss\th2, h3\ttext\tall',
  'next\t.\tcss\ta[rel~=next], link[rel=next]\t@href',
  'code\t.\tcss\tpre code, div.highlight > pre, pre.programlisting\ttext\tall',
  'first\t.\tcss\tbody p:first-of-type:not(:has(img))\thtml',
  'rows\t.\tcss\ttable tr:nth-child(2n+1) > td:first-child\ttext\tall',
  'links\t.\txpath\tcount(//a[@href])\tnumber',
  'anchors\t.\txpath\t//a[contains(@class, "reference")]/@href\ttext\tall',
  'label\t.\txpath\t//h1/text() | //h2/text()\ttext\tall',
].join('\n');
const extractionsFor = compileExtractRules(RULES);

const collapseSpace = (text) => (text ?? '').replaceAll(/\s+/g, '');
const decoded = (content) => Buffer.from(content).toString();

/** The results of ours and of jsdom by task, as texts to compare. */
const asked = {
  markdown: {
    own: async (page) => collapseSpace((await readDocument({ ...inputOf(page), markdown: LIMIT })).markdown),
    jsdom: ({ content, url }) => {
      const page = () => jsdomPage(decoded(content), new ReferenceResolver(url));
      return collapseSpace(oracleMarkdown(oracleContent(page()) ?? page().body).slice(0, LIMIT));
    },
  },
  extract: {
    own: async (page) =>
      JSON.stringify((await readDocument({ ...inputOf(page), extractions: extractionsFor(page.url) })).values),
    jsdom: ({ content, url }) => {
      const document = jsdomPage(decoded(content), new ReferenceResolver(url));
      return JSON.stringify(extractValues(jsdomPickable(document), extractionsFor(url)));
    },
  },
};

const inputOf = ({ content, contentType, url }) => ({ content, contentType, charset: 'utf-8', base: url });

/** jsdom's own CSS and XPath. */
const jsdomPickable = (document) => ({
  css: (selector) => document.querySelectorAll(selector),
  *xpath(expression) {
    const result = document.evaluate(expression, document, null, 0, null);
    if (result.resultType === 1) yield String(result.numberValue);
    else if (result.resultType === 2) yield result.stringValue;
    else if (result.resultType === 3) yield String(result.booleanValue);
    else for (let node = result.iterateNext(); node !== null; node = result.iterateNext()) yield node;
  },
});

async function timed(pages, run) {
  const answers = [];
  const start = process.cpuUsage();
  for (const page of pages) {
    try {
      answers.push(await run(page));
    } catch (error) {
      answers.push(`failed: ${error.message}`);
    }
    // Weak references of jsdom are cleared only after the event loop has run other work.
    await otherWork();
  }
  const { user, system } = process.cpuUsage(start);
  return { answers, ms: (user + system) / 1000 / pages.length };
}

/** @param {{ what: string[], rounds: number }} options what is asked: markdown, extract */
export async function benchTrees(pages, { what, rounds }) {
  const rows = [];
  for (const name of what) {
    const { own, jsdom } = asked[name];
    const times = [];
    let ours;
    await timed(pages.slice(0, 200), own);
    for (let round = 0; round < rounds; round++) {
      ours = await timed(pages, own);
      times.push(ours.ms);
    }
    const ms = times.sort((a, b) => a - b)[times.length >> 1];
    rows.push([name, 'own', ms.toFixed(2), (1000 / ms).toFixed(0), '']);
    if (process.env.JSDOM === '0') continue;
    const theirs = await timed(pages, jsdom);
    const unlike = pages.filter((_, at) => ours.answers[at] !== theirs.answers[at]);
    if (process.env.UNLIKE) for (const { url } of unlike) console.log(`unlike: ${url}`);
    const same = (100 * (pages.length - unlike.length)) / pages.length;
    rows.push([name, 'jsdom', theirs.ms.toFixed(2), (1000 / theirs.ms).toFixed(1), `${same.toFixed(2)} %`]);
  }
  console.log(table(['what', 'tree', 'ms CPU a page', 'pages/s a core', 'as jsdom has it'], rows));
}
