/** Paths of a host besides its pages: robots.txt, sitemaps, and endless traps. */
import { hashesOf } from './random.mjs';

const SITEMAP_URLS = 500;
const DAY_MS = 86_400_000;
const SITEMAPS = 'xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"';

/** robots.txt of a host. @returns {[status: number, body: string, location?: string]} */
export function robotsOf(graph, host) {
  const { robots, hosts, delay } = graph.options;
  if (!robots) return [404, 'no'];
  if (robots >= 3) {
    if (host % 7 === 3) return [503, 'later'];
    if (host % 7 === 4) return [404, 'no'];
    if (host % 7 === 5) return [301, '', `${graph.origin((host + 1) % hosts)}/robots.txt`];
    if (host % 7 === 6) return [200, 'User-agent: *\nDisallow: /\n'];
  }
  const lines = [
    `# host ${host}`,
    'User-agent: badbot',
    'Disallow: /',
    '',
    'User-agent: *',
    'Disallow: /private/',
    'Allow: /private/open/',
    'Disallow: /*.cgi$',
    ...(robots >= 2 ? [`Crawl-delay: ${delay}`] : []),
    '',
    `Sitemap: ${graph.origin(host)}/sitemap.xml`,
  ];
  return [200, `${lines.join('\n')}\n`];
}

/** Whether robots.txt disallows a path, unless the host has another one (`--robots 3`). */
export function isForbidden(graph, path) {
  if (!graph.options.robots) return false;
  return (path.startsWith('/private/') && !path.startsWith('/private/open/')) || path.endsWith('.cgi');
}

/** `/sitemap<n>.xml` or `.gz` has 500 pages; any other path is the index of these. */
export function sitemapOf(graph, host, path) {
  const { pages } = graph.options;
  const origin = graph.origin(host);
  const [, number] = /^\/sitemap(\d+)\.xml(?:\.gz)?$/.exec(path) ?? [];
  const head = '<?xml version="1.0" encoding="UTF-8"?>\n';
  if (number === undefined) {
    const count = Math.ceil(pages / SITEMAP_URLS);
    const maps = Array.from({ length: count }, (_, k) => `<sitemap><loc>${origin}/sitemap${k}.xml.gz</loc></sitemap>`);
    return `${head}<sitemapindex ${SITEMAPS}>${maps.join('\n')}</sitemapindex>`;
  }
  const first = Number(number) * SITEMAP_URLS;
  const count = Math.max(0, Math.min(SITEMAP_URLS, pages - first));
  const urls = Array.from({ length: count }, (_, k) => {
    const priority = (graph.random.mix(51, host, first + k) % 10) / 10;
    const url = graph.urlOf(host, first + k);
    return `<url><loc>${url}</loc><lastmod>2026-01-01</lastmod><priority>${priority}</priority></url>\n`;
  });
  return `${head}<urlset ${SITEMAPS}>${urls.join('')}</urlset>`;
}

/** The page of a trap (`--traps 1`), or undefined: a calendar, session ids, a path with repeated segments. */
export function trapOf(graph, host, path, url) {
  if (!graph.options.traps) return undefined;
  const date = /^\/calendar\/(\d+)\/(\d+)\/(\d+)\.html$/.exec(path);
  if (date) return calendar(path, Date.UTC(Number(date[1]), Number(date[2]) - 1, Number(date[3])));
  if (path === '/session') {
    const session = graph.random.mix(22, host, ...hashesOf(url)).toString(36);
    return `<title>session</title><a href="/session?sid=${session}">next</a> <a href="/">home</a>`;
  }
  return path.startsWith('/a/b/') ? '<title>loop</title><a href="a/b/">deeper</a>' : undefined;
}

function calendar(path, time) {
  const links = [-365, -30, -1, 1, 30, 365].map((days) => {
    const day = new Date(time + days * DAY_MS);
    if (Number.isNaN(day.getTime())) return '';
    const month = String(day.getUTCMonth() + 1).padStart(2, '0');
    const date = String(day.getUTCDate()).padStart(2, '0');
    return `<a href="/calendar/${day.getUTCFullYear()}/${month}/${date}.html">${days}</a>`;
  });
  return `<title>${path}</title>${links.join(' ')}`;
}
