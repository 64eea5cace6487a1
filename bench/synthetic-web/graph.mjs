/** The pages of the web: their kinds of errors, copies, and links. */
import { Random } from './random.mjs';

/** Kinds of pages that `--errors` distributes; pages.mjs has their answers. */
export const KINDS = [
  'e500',
  'e503',
  'e404',
  'e410',
  'flaky',
  'slow',
  'stall',
  'reset',
  'cut',
  'redir',
  'loop',
  'away',
  'long',
  'badgzip',
  'wrongcharset',
  'metacharset',
  'nocharset',
  'huge',
  'deep',
  'empty',
  'notype',
  'liar',
  'noindex',
  'nofollow',
  'canonical',
  'base',
  'refresh',
  'longurl',
];
/** Pages of these kinds may yield no links: their children are linked from their parent as well. */
const DEAD = new Set([
  'e500',
  'e503',
  'e404',
  'e410',
  'flaky',
  'slow',
  'stall',
  'reset',
  'cut',
  'loop',
  'away',
  'long',
  'badgzip',
  'wrongcharset',
  'metacharset',
  'huge',
  'deep',
  'empty',
  'notype',
  'liar',
  'nofollow',
]);
/** Children per page of the tree by which every page is reachable from "/". */
const CHILDREN = 12;
const FOLDERS = 17;
/** The first pages have no copies. */
const FIRST_COPY = 20;
const OUTSIDE = [
  'mailto:a@example.invalid',
  'javascript:void(0)',
  'https://example.invalid/x',
  '#top',
  'tel:+100',
  'http://[broken',
  'ftp://example.invalid/f',
];

export class Graph {
  /** @param {import('./options.mjs').Options} options */
  constructor(options) {
    this.options = options;
    this.random = new Random(options.seed);
    [this.minLinks, this.maxLinks] = options.links.split('-').map(Number);
  }

  /** Scheme and authority of a host; no slash at the end. */
  origin(host) {
    const { by, port } = this.options;
    return by === 'name' ? `http://host${host}.synthetic.test:${port}` : `http://127.0.1.${host + 1}:${port}`;
  }

  /** The kind of error of a page; '' for a normal one. */
  kindOf(host, page) {
    const { errors } = this.options;
    if (!errors || page === 0) return '';
    return KINDS[Math.floor(this.random.share(7, host, page) / errors)] ?? '';
  }

  pathOf(host, page) {
    if (page === 0) return '/';
    const path = `/s${page % FOLDERS}/p${page}.html`;
    return this.kindOf(host, page) === 'longurl' ? `${path}?${'q'.repeat(1800)}=${page}` : path;
  }

  urlOf(host, page) {
    return this.origin(host) + this.pathOf(host, page);
  }

  /** The page that a path names and the hop of its redirects, or undefined. */
  pageAt(path) {
    if (path === '/') return { page: 0, hop: 0 };
    const [, folder, number, hop = 0] = /^\/s(\d+)\/p(\d+)(?:_(\d+))?\.html$/.exec(path) ?? [];
    const page = Number(number);
    const exists = page > 0 && page < this.options.pages && page % FOLDERS === Number(folder);
    return exists ? { page, hop: Number(hop) } : undefined;
  }

  /** Path of a hop of a page's redirects. */
  hopPath(page, hop) {
    return `/s${page % FOLDERS}/p${page}_${hop}.html`;
  }

  /** Only leaves are copies or are copied, so that the tree stays complete. */
  isLeaf(page) {
    return page * CHILDREN + 1 >= this.options.pages;
  }

  wouldBeCopy(host, page) {
    return this.random.share(11, host, page) < this.options.dups;
  }

  /** The page that this one is an exact copy of, or -1. */
  copyOf(host, page) {
    if (page < FIRST_COPY || !this.isLeaf(page) || this.kindOf(host, page) || !this.wouldBeCopy(host, page)) return -1;
    for (let k = 0; k < 20; k += 1) {
      const other = 1 + (this.random.mix(12, host, page, k) % (page - 1));
      if (!this.kindOf(host, other) && !this.wouldBeCopy(host, other) && this.isLeaf(other)) return other;
    }
    return -1;
  }

  /** The page that this one differs from in a date and a word, or -1. */
  nearOf(host, page) {
    if (page < FIRST_COPY || !this.isLeaf(page) || this.kindOf(host, page)) return -1;
    if (this.copyOf(host, page) >= 0 || this.random.share(13, host, page) >= this.options.near) return -1;
    return 1 + (this.random.mix(14, host, page) % (page - 1));
  }

  /** The name of a page's kind in `/__truth`. */
  labelOf(host, page) {
    if (this.copyOf(host, page) >= 0) return 'copy';
    if (this.nearOf(host, page) >= 0) return 'near';
    return this.kindOf(host, page) || 'plain';
  }

  /** References of a page, each once: children, parent, pages of its host and of others, and links out of the web. */
  linksOf(host, page, draw) {
    const { options, random } = this;
    const found = new Set(this.childLinks(host, page));
    if (page > 0) found.add(this.pathOf(host, Math.floor((page - 1) / CHILDREN)));
    const wanted = this.minLinks + Math.floor(draw() * (this.maxLinks - this.minLinks + 1));
    for (let tries = wanted * 4; found.size < wanted && tries > 0; tries -= 1) found.add(this.drawLink(host, draw));
    if (options.robots && page % 10 === 0) found.add(`/private/secret${page}.html`).add(`/run${page}.cgi`);
    if (options.traps && page % 5 === 0) {
      const session = random.mix(21, host, page).toString(36);
      found.add('/calendar/2026/01/01.html').add(`/session?sid=${session}`).add('/a/b/');
    }
    return [...found];
  }

  /** Children of a page; those of a dead child come after it. @returns {string[]} */
  childLinks(host, page, depth = 0) {
    const first = page * CHILDREN + 1;
    const count = Math.max(0, Math.min(CHILDREN, this.options.pages - first));
    return Array.from({ length: count }, (_, i) => first + i).flatMap((child) => {
      const dead = depth < 3 && DEAD.has(this.kindOf(host, child));
      return [this.pathOf(host, child), ...(dead ? this.childLinks(host, child, depth + 1) : [])];
    });
  }

  drawLink(host, draw) {
    const { external, hosts, pages } = this.options;
    const which = draw();
    if (which < external && hosts > 1) {
      const other = Math.floor(draw() * hosts);
      return this.urlOf(other, Math.floor(draw() * draw() * pages));
    }
    if (which > 0.985) return OUTSIDE[Math.floor(draw() * OUTSIDE.length)];
    const path = this.pathOf(host, Math.floor(draw() * pages));
    return this.spelt(host, path, draw());
  }

  /** A path of the host in one of its usual spellings. */
  spelt(host, path, way) {
    if (way < 0.1) return path + (path.includes('?') ? '#a' : `#frag${Math.floor(way * 90)}`);
    if (way < 0.15 && path !== '/') return `/x/..${path}`;
    if (way < 0.18) return this.origin(host) + path;
    if (way < 0.2) return this.origin(host).slice('http:'.length) + path;
    return way < 0.21 ? ` ${path} ` : path;
  }
}
