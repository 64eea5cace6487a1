import { describe, expect } from 'vitest';
import type { HtmlOptions } from '../../src/core/html/html-collector.js';
import { HTML_OPTIONS, parseHtml } from '../../src/core/html/parse-html.js';
import { linksInScript } from '../../src/core/html/parse-script.js';
import { linksInText } from '../../src/core/html/parse-text.js';
import { ReferenceResolver } from '../../src/core/html/reference-resolver.js';
import { keepOutlinks } from '../../src/core/page/outlinks.js';
import { groupOf } from '../support/conformance.js';
import { eachCase } from '../support/each-case.js';

type Config = Record<string, boolean> | undefined;

function optionsOf(config: Config): HtmlOptions {
  return { ...HTML_OPTIONS, formActions: config?.['parser.html.form.use_action'] ?? false };
}

const standard = (url: string) => URL.parse(url)?.href ?? url;

/**
 * "Ignoring white space" is applied literally: the original puts a space between any two pieces of text, so that
 * `<b>H</b>ello` reads "H ello"; ours keeps words whole across inline markup.
 */
const noSpace = (text: string) => text.replace(/\s+/g, '');

interface PageCase {
  n: number;
  base: string;
  html: string;
  config?: Record<string, boolean>;
  outlinks: { url: string; anchor: string }[];
  text_ignoring_whitespace: string;
  title_ignoring_whitespace: string;
}

describe('Nutch DOMContentUtils: links, text and title of a page', () => {
  eachCase(groupOf<PageCase>('outlinks.html.unit').cases)('page $n has the expected links, text and title', (one) => {
    const page = parseHtml(one.html, one.base, optionsOf(one.config));
    expect(page.links).toEqual(one.outlinks.map(({ url, anchor }) => ({ url: standard(url), anchor })));
    expect(noSpace(page.text)).toBe(noSpace(one.text_ignoring_whitespace));
    expect(noSpace(page.title)).toBe(noSpace(one.title_ignoring_whitespace));
  });
});

interface PromiseCase {
  n: number;
  base?: string;
  html: string;
  config?: Record<string, boolean>;
  count?: number;
  order?: string[];
  contains?: string[];
  excludes?: string[];
  anchor?: string;
}

const keepAll = {
  'db.max.outlinks.per.page': -1,
  'db.max.outlink.length': 4096,
  'db.max.anchor.length': 100,
  'db.ignore.external.links': false,
  'db.ignore.external.links.mode': 'byHost',
};

describe('Nutch parse-tika: outlinks', () => {
  eachCase(groupOf<PromiseCase>('outlinks.tika').cases)('page $n has the expected outlinks', (one) => {
    const base = one.base ?? 'http://www.example.org/';
    const { links } = parseHtml(one.html, base, optionsOf(one.config));
    const { kept } = keepOutlinks(links, { url: base }, keepAll, (url) => url);
    const urls = kept.map(({ url }) => url);
    if (one.count !== undefined) expect(kept).toHaveLength(one.count);
    if (one.order !== undefined) expect(urls).toEqual(one.order);
    expect(urls).toEqual(expect.arrayContaining(one.contains ?? []));
    for (const url of one.excludes ?? []) expect(urls).not.toContain(url);
    if (one.anchor !== undefined) expect(kept[0]?.anchor).toBe(one.anchor);
  });
});

describe('Nutch parse-text: URLs in plain text', () => {
  eachCase(groupOf<{ n: number; text: string; out: string[] }>('outlinks.text').cases)(
    'text $n contains $out',
    ({ text, out }) => {
      expect(linksInText(text, 1000).map(({ url }) => url)).toEqual(out.map(standard));
    },
  );
});

describe('Nutch headings', () => {
  eachCase(groupOf<{ n: number; html: string; headings: string; h1: string }>('parse.headings').cases)(
    'page $n has the h1 $h1',
    ({ html, headings, h1 }) => {
      const options = { ...HTML_OPTIONS, headings: new Set(headings.split(',')) };
      expect(parseHtml(html, 'http://page.example/', options).facts.headings.get('h1')).toEqual([h1]);
    },
  );
});

describe('Nutch parse-js: URLs in quoted strings of a program', () => {
  eachCase(groupOf<{ n: number; js: string; out: string[] }>('parse.js').cases)(
    'program $n contains $out',
    ({ js, out }) => {
      const resolver = new ReferenceResolver('http://page.example/');
      expect(linksInScript(js, resolver, 1000).map(({ url }) => url)).toEqual(out);
    },
  );
});

interface RobotsCase {
  case: string;
  html: string;
  noindex: boolean;
  nofollow: boolean;
  nocache: boolean;
  base: string | null;
}

describe('Nutch HTMLMetaProcessor: robots and pragma', () => {
  const url = 'http://page.example/';
  eachCase(groupOf<RobotsCase>('robots.meta').cases)(
    '$case: noindex $noindex, nofollow $nofollow, nocache $nocache',
    ({ html, noindex, nofollow, nocache, base }) => {
      const page = parseHtml(html, url);
      expect(page.robots).toEqual({ noindex, nofollow, nocache });
      expect(page.base).toBe(base ?? url);
      expect(page.title).toBe(noindex ? '' : 'test page');
      expect(page.text).toBe(noindex ? '' : 'test page\nsome text');
    },
  );
});
