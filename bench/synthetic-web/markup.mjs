/** The HTML of a page: navigation, headings, prose, code, tables with open cells, comments, and links all along. */

const KIB = 1024;
const LINKS_IN_NAVIGATION = 12;

/**
 * @param {import('./graph.mjs').Graph} graph
 * @param {{ head?: string, stamp?: string }} extra markup for the head; text for the last line
 */
export function htmlOf(graph, host, page, { head = '', stamp = '' } = {}) {
  return new PageWriter(graph, host, page).write(head, stamp);
}

class PageWriter {
  constructor(graph, host, page) {
    const { random, options } = graph;
    this.random = random;
    this.host = host;
    this.page = page;
    this.draw = random.sequence(3, host, page);
    this.target = Math.min(400, Math.max(2, options.size * Math.exp(0.7 * this.normal()))) * KIB;
    this.links = graph.linksOf(host, page, this.draw);
    this.next = 0;
    this.parts = [];
    this.length = 0;
  }

  /** A number of the normal distribution (Box–Muller). */
  normal() {
    return Math.sqrt(-2 * Math.log(this.draw() || 1e-9)) * Math.cos(2 * Math.PI * this.draw());
  }

  push(text) {
    this.parts.push(text);
    this.length += text.length;
  }

  word() {
    return this.random.word(this.draw);
  }

  hasLinks() {
    return this.next < this.links.length;
  }

  link() {
    const href = this.links[this.next++].replaceAll('&', '&amp;');
    const attributes =
      (this.draw() < 0.1 ? ' class="ref" target="_blank"' : '') + (this.draw() < 0.02 ? ' rel="nofollow"' : '');
    return `<a href="${href}"${attributes}>${this.word()} ${this.word()}</a>`;
  }

  write(head, stamp) {
    const { host, page } = this;
    const title = `Host ${host} page ${page}: ${this.random.sentence(this.draw).slice(0, 40)}`;
    this.push(this.beginning(title, head));
    for (let n = Math.min(LINKS_IN_NAVIGATION, this.links.length); n > 0; n -= 1)
      this.push(`<li class="item">${this.link()}</li>\n`);
    this.push(`</ul></nav></header><main id="top"><h1>${title}</h1>\n`);
    this.body();
    this.push(`</main><footer><p>Page ${page} of host ${host}${stamp}</p></footer></body></html>\n`);
    return this.parts.join('');
  }

  beginning(title, head) {
    const { host, page } = this;
    return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${title}</title>
<meta name="description" content="${this.random.sentence(this.draw)}">
<link rel="stylesheet" href="/style.css"><meta name="viewport" content="width=device-width">${head}
<script>var page={host:${host},n:${page}};if(page.n<2&&page.host>0){document.write("<a href='/not-a-link.html'>x</a>")}</script>
<style>.nav a{color:#06c;padding:0 2px}p{margin:0 0 1em}</style></head>
<body class="page">
<header class="site"><div class="logo"><a href="/" title="Home">Host ${host}</a></div><nav class="nav"><ul>`;
  }

  /** Blocks until the page has its size and all links; these are spread over it. */
  body() {
    const between = Math.max(400, (this.target - this.length) / Math.max(1, this.links.length - this.next + 1));
    let due = this.length + between;
    while (this.length < this.target || this.hasLinks()) {
      const which = this.draw();
      if (which < 0.08) this.heading();
      else if (which < 0.12) this.code();
      else if (which < 0.16) this.table();
      else if (which < 0.18) this.comment();
      else due = this.paragraph(due, between);
      if (this.length >= this.target && this.hasLinks()) this.restOfLinks();
    }
  }

  heading() {
    this.push(`<h2 id="s${this.parts.length}">${this.word()} &amp; ${this.word()}</h2>\n`);
  }

  code() {
    this.push(
      `<pre><code class="lang">if (${this.word()} &lt; ${this.word()}) {\n  return ${this.word()}(&quot;${this.word()}&quot;);\n}</code></pre>\n`,
    );
  }

  table() {
    const rows = Array.from({ length: 4 }, () => `<tr><td>${this.word()}</td><td>${this.word()}<td></tr>`);
    this.push(`<table class="t"><tr><th>a</th><th>b</th></tr>${rows.join('')}</table>\n`);
  }

  comment() {
    const sentence = this.random.sentence(this.draw);
    const image = Math.floor(this.draw() * 50);
    this.push(
      `<!-- ${sentence} <a href="/commented-out.html">no</a> --><img src="/i/${image}.png" alt="${this.word()}">\n`,
    );
  }

  /** Returns where the next link is due. */
  paragraph(due, between) {
    let text = '<p>';
    for (let n = 2 + Math.floor(this.draw() * 4); n > 0; n -= 1) {
      text += this.random.sentence(this.draw);
      if (this.length + text.length <= due || !this.hasLinks()) continue;
      text += `${this.link()} `;
      due += between;
    }
    this.push(`${text}\n`);
    return due;
  }

  restOfLinks() {
    this.push('<ul class="more">');
    while (this.hasLinks()) this.push(`<li>${this.link()}\n`);
    this.push('</ul>\n');
  }
}
