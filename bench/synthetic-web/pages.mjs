/** Answers to requests for pages, each generated once and cached. */
import { createHash } from 'node:crypto';
import { htmlOf } from './markup.mjs';

const START = Date.UTC(2026, 0, 1);
const MIB = 1024 ** 2;
const HUGE_BYTES = 12e6;
const DEPTH = 40_000;
const TOP = '<main id="top">';
const UTF8 = '<meta charset="utf-8">';
const CYRILLIC = 'Привет, мир. Съешь же ещё этих мягких французских булок, да выпей чаю. ';
const EUC_JP = Buffer.from('c6fccbdcb8eca4cea5dafca1bcb8', 'hex');
const PNG = Buffer.concat([Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex'), Buffer.alloc(5_000, 7)]);

/**
 * @typedef {object} Entry
 * @property {number} epoch number of changes since 2026 (`--churn`)
 * @property {number} status
 * @property {Record<string, string>} headers
 * @property {Buffer} body not compressed
 * @property {'' | 'flaky' | 'slow' | 'stall' | 'reset' | 'cut' | 'hop'} act special behaviour
 * @property {number} hops redirects before it (`act` is "hop")
 * @property {Buffer | null} gzipped created on demand
 */

function windows1251(text) {
  const byteOf = (code) => {
    if (code < 128) return code;
    if (code >= 0x410 && code <= 0x44f) return code - 0x410 + 0xc0;
    return { 0x401: 0xa8, 0x451: 0xb8 }[code] ?? 0x3f;
  };
  return Buffer.from([...text].map((character) => byteOf(character.charCodeAt(0))));
}

const withText = (html, text) => html.replace(TOP, `${TOP}${text}`);

/** Markup in the head of pages of a kind. */
const HEADS = {
  noindex: () => '<meta name="robots" content="noindex">',
  nofollow: () => '<META NAME="ROBOTS" CONTENT="index,nofollow">',
  canonical: (graph, host, page) => `<link rel="canonical" href="${graph.urlOf(host, page)}">`,
  base: (graph, host) => `<base href="${graph.origin(host)}/s1/">`,
  refresh: () => `<meta http-equiv="refresh" content="0; URL='/'">`,
};

/** Changes of a kind to the answer of a normal page, from its HTML. */
const ANSWERS = {
  e500: () => ({ status: 500 }),
  e503: () => ({ status: 503, headers: { 'Retry-After': '2' } }),
  e404: () => ({ status: 404 }),
  e410: () => ({ status: 410 }),
  flaky: () => ({ act: 'flaky' }),
  slow: () => ({ act: 'slow' }),
  stall: () => ({ act: 'stall' }),
  reset: () => ({ act: 'reset' }),
  cut: () => ({ act: 'cut' }),
  redir: (graph, host, page) => ({ act: 'hop', hops: 1 + (page % 4) }),
  long: () => ({ act: 'hop', hops: 12 }),
  loop: (graph, host, page) => ({
    status: 302,
    headers: { Location: graph.pathOf(host, page) },
    body: Buffer.alloc(0),
  }),
  away: (graph, host) => {
    const neighbour = graph.origin((host + 1) % graph.options.hosts);
    return { status: 301, headers: { Location: `${neighbour}/` }, body: Buffer.alloc(0) };
  },
  badgzip: () => ({ headers: { 'Content-Encoding': 'gzip' }, body: Buffer.from('this is not gzip at all') }),
  wrongcharset: (graph, host, page, html) => {
    const text = withText(html, `<p class="cyr">${CYRILLIC.repeat(20)}</p>`);
    return { body: windows1251(text.replace(UTF8, '<meta charset="windows-1251">')) };
  },
  metacharset: (graph, host, page, html) => {
    const meta = '<meta http-equiv="Content-Type" content="text/html; charset=euc-jp">';
    const [before, after] = html.replace(UTF8, meta).split(TOP);
    const parts = [Buffer.from(`${before}${TOP}<p>`, 'latin1'), EUC_JP, Buffer.from(`</p>${after}`, 'latin1')];
    return { type: 'text/html', body: Buffer.concat(parts) };
  },
  nocharset: (graph, host, page, html) => ({
    type: 'text/html',
    body: Buffer.from(withText(html.replace(UTF8, ''), `<p>${CYRILLIC.repeat(3)}</p>`)),
  }),
  huge: (graph, host, page, html) => {
    const one = Buffer.from(html);
    return { body: Buffer.concat(Array(Math.ceil(HUGE_BYTES / one.length)).fill(one)) };
  },
  deep: () => ({
    body: Buffer.from(
      `<!DOCTYPE html><title>deep</title>${'<div>'.repeat(DEPTH)}<a href="/">home</a>${'</div>'.repeat(DEPTH)}`,
    ),
  }),
  empty: () => ({ body: Buffer.alloc(0) }),
  notype: () => ({ type: '' }),
  liar: () => ({ body: PNG }),
};

export class Pages {
  /** @param {import('./graph.mjs').Graph} graph */
  constructor(graph) {
    this.graph = graph;
    this.options = graph.options;
    this.kept = new Map();
    this.keptBytes = 0;
  }

  /** The answer of a page. @returns {Entry} */
  entryOf(host, page) {
    const key = host * 1e7 + page;
    const epoch = this.epochOf(host, page);
    const kept = this.kept.get(key);
    if (kept?.epoch === epoch) return kept;
    const entry = this.make(host, page, epoch);
    if (this.keptBytes < this.options.cache * MIB) {
      this.keptBytes += entry.body.length - (kept?.body.length ?? 0);
      this.kept.set(key, entry);
    }
    return entry;
  }

  epochOf(host, page) {
    const { churn, epoch } = this.options;
    if (!churn || this.graph.random.share(31, host, page) >= churn) return 0;
    return Math.floor((Date.now() - START) / (epoch * 1000));
  }

  make(host, page, epoch) {
    const { graph, options } = this;
    const kind = graph.kindOf(host, page);
    const html = this.html(host, page, kind, epoch);
    const answer = ANSWERS[kind]?.(graph, host, page, html) ?? {};
    const { status = 200, type = 'text/html; charset=utf-8', act = '', hops = 0 } = answer;
    const body = answer.body ?? Buffer.from(html);
    const headers = { ...(type && { 'Content-Type': type }), ...answer.headers };
    if (options.validators && status === 200) {
      headers.ETag = `"${md5(body).slice(0, 16)}"`;
      const seconds = (graph.random.mix(41, host, page) % 25_000_000) + epoch * options.epoch;
      headers['Last-Modified'] = new Date(START + seconds * 1000).toUTCString();
    }
    return { epoch, status, headers, body, act, hops, gzipped: null };
  }

  html(host, page, kind, epoch) {
    const { graph } = this;
    const [copy, near] = [graph.copyOf(host, page), graph.nearOf(host, page)];
    const source = copy >= 0 ? copy : near >= 0 ? near : page;
    const day = near >= 0 ? ` on day ${page} ${graph.random.words[page % graph.random.words.length]}` : '';
    const revision = epoch ? ` revision ${epoch}` : '';
    return htmlOf(graph, host, source, { head: HEADS[kind]?.(graph, host, page) ?? '', stamp: day + revision });
  }

  /** Lines of `/__truth`: URL, status of the first answer, kind, md5 of the body of the final answer. */
  *truth() {
    const { hosts, pages } = this.options;
    for (let host = 0; host < hosts; host += 1) {
      for (let page = 0; page < pages; page += 1) {
        const { act, status, body } = this.entryOf(host, page);
        const first = act === 'reset' ? 0 : act === 'hop' ? 301 : status;
        yield `${this.graph.urlOf(host, page)}\t${first}\t${this.graph.labelOf(host, page)}\t${md5(body)}\n`;
      }
    }
  }
}

const md5 = (bytes) => createHash('md5').update(bytes).digest('hex');
