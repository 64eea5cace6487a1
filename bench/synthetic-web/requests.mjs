/** Answers requests, with the delays and errors of the page, and records each. */
import { gzipSync } from 'node:zlib';
import { hashesOf } from './random.mjs';
import { isForbidden, robotsOf, sitemapOf, trapOf } from './side-paths.mjs';
import { FORBIDDEN, PAGE, ROBOTS, now } from './statistics.mjs';

const HTML = 'text/html; charset=utf-8';
/** Of a page that is slow, and of one whose second half does not come. */
const SLOW_MS = 5_000;
const STALL_MS = 60_000;
const CUT_AFTER_MS = 20;
const BUSY_ANSWERS = 2;
const LEAST_GZIPPED = 500;
const LOG_LINES = 100_000;

export class Requests {
  /** @param {import('./pages.mjs').Pages} pages */
  constructor(pages) {
    this.pages = pages;
    this.graph = pages.graph;
    this.options = pages.options;
    this.reset();
  }

  /** Deletes all records. */
  reset() {
    /** @type {import('./statistics.mjs').Request[]} */
    this.records = [];
    this.busy = new Map();
    this.log = [];
  }

  /** The requested host, by name or by address; -1 for none. */
  hostOf(req) {
    const [, name] = /^host(\d+)\.synthetic\.test/.exec(req.headers.host ?? '') ?? [];
    const [, address] = /127\.0\.1\.(\d+)$/.exec(req.socket.localAddress ?? '') ?? [];
    const host = Number(name ?? Number(address ?? 0) - 1);
    return host < this.options.hosts ? host : -1;
  }

  handle(req, res) {
    const host = this.hostOf(req);
    const path = req.url.split('?', 1)[0];
    const record = this.begin(host, req.url, path);
    const send = (status, headers, body = '') => {
      const bytes = Buffer.from(body);
      record.bytes = bytes.length;
      res.writeHead(status, { ...headers, 'Content-Length': bytes.length });
      res.end(req.method === 'HEAD' ? undefined : bytes);
      this.note(`${record.start}\t${host}\t${req.method}\t${req.url}\t${status}\t${bytes.length}`);
    };
    res.once('close', () => {
      record.end = now();
      record.status = res.headersSent ? res.statusCode : 0;
    });
    const { latency, jitter } = this.options;
    const answer = () => this.answer({ host, path, req, res, send });
    if (latency + jitter > 0) setTimeout(answer, latency + Math.random() * jitter);
    else answer();
  }

  begin(host, url, path) {
    const purpose = path === '/robots.txt' ? ROBOTS : isForbidden(this.graph, path) ? FORBIDDEN : PAGE;
    const hash = this.graph.random.mix(61, host, ...hashesOf(url));
    const record = { host, start: now(), end: 0, status: 0, bytes: 0, url: hash, purpose };
    if (this.options.stats) this.records.push(record);
    return record;
  }

  note(line) {
    if (!this.options.log) return;
    this.log.push(line);
    if (this.log.length > LOG_LINES) this.log.splice(0, LOG_LINES / 2);
  }

  answer(asked) {
    const { host, path, req, send } = asked;
    if (host < 0) return send(404, { 'Content-Type': 'text/plain' }, 'no such host');
    if (path === '/robots.txt') {
      const [status, body, location] = robotsOf(this.graph, host);
      return send(status, location ? { Location: location } : { 'Content-Type': 'text/plain' }, body);
    }
    if (path.startsWith('/sitemap')) {
      const sitemap = sitemapOf(this.graph, host, path);
      if (path.endsWith('.gz')) return send(200, { 'Content-Type': 'application/x-gzip' }, gzipSync(sitemap));
      return send(200, { 'Content-Type': 'application/xml' }, sitemap);
    }
    const trap = trapOf(this.graph, host, path, req.url);
    if (trap !== undefined) return send(200, { 'Content-Type': HTML }, trap);
    if (path.startsWith('/private/') || isForbidden(this.graph, path))
      return send(200, { 'Content-Type': 'text/html' }, '<title>private</title>you should not be here');
    const found = this.graph.pageAt(path);
    if (found) return this.answerPage(asked, found);
    return send(404, { 'Content-Type': HTML }, '<!DOCTYPE html><title>404 Not Found</title><h1>Not Found</h1>');
  }

  answerPage(asked, { page, hop }) {
    const { host, req, res, send } = asked;
    const entry = this.pages.entryOf(host, page);
    switch (entry.act) {
      case 'hop':
        if (hop >= entry.hops) break;
        return send(page % 2 ? 301 : 302, { Location: this.graph.hopPath(page, hop + 1) });
      case 'flaky':
        if (this.isBusy(host, page)) return send(503, { 'Content-Type': 'text/html' }, '<title>busy</title>');
        break;
      case 'reset':
        return req.socket.resetAndDestroy();
      case 'cut':
      case 'stall':
        return sendHalf(req, res, entry);
      case 'slow':
        return setTimeout(() => this.sendPage(req, res, send, entry), SLOW_MS);
    }
    return this.sendPage(req, res, send, entry);
  }

  /** The first requests for a page come too soon. */
  isBusy(host, page) {
    const key = `${host} ${page}`;
    const asked = this.busy.get(key) ?? 0;
    this.busy.set(key, asked + 1);
    return asked < BUSY_ANSWERS;
  }

  sendPage(req, res, send, entry) {
    const { status, headers, body } = entry;
    if (isUnchanged(req.headers, headers)) {
      res.writeHead(304, { ETag: headers.ETag, 'Last-Modified': headers['Last-Modified'] }).end();
      return;
    }
    const mayGzip = this.options.gzip && /\bgzip\b/.test(req.headers['accept-encoding'] ?? '');
    if (!mayGzip || status !== 200 || body.length <= LEAST_GZIPPED || headers['Content-Encoding'])
      return send(status, headers, body);
    entry.gzipped ??= gzipSync(body, { level: 6 });
    send(200, { ...headers, 'Content-Encoding': 'gzip', Vary: 'Accept-Encoding' }, entry.gzipped);
  }
}

/** Whether the validators of a conditional request match those of the page. */
function isUnchanged(asked, headers) {
  if (!headers.ETag) return false;
  if (asked['if-none-match']) return asked['if-none-match'] === headers.ETag;
  return Date.parse(asked['if-modified-since'] ?? '') >= Date.parse(headers['Last-Modified']);
}

/** Half of the body, then the end of the connection, or nothing for a minute. */
function sendHalf(req, res, { act, headers, body }) {
  const half = body.length >> 1;
  res.writeHead(200, { ...headers, 'Content-Length': body.length });
  res.write(body.subarray(0, half));
  if (act === 'cut') setTimeout(() => req.socket.destroy(), CUT_AFTER_MS);
  else setTimeout(() => res.end(body.subarray(half)), STALL_MS).unref();
}
