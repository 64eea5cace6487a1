import { type Handler, type Site, page, redirect, startSite, status } from '../support/site.js';

/** The small web that the questions of why-not are about. */

export let site: Site;
export let other: Site;
export let strict: Site;
export let sick: Site;

export const long = 'x'.repeat(2_100);
const links = (...hrefs: string[]): Handler =>
  page(hrefs.map((href, i) => `<a href="${href}">link ${i}</a>`).join(' '));
const text = (body: string): Handler => page(body, { 'content-type': 'text/plain' });

/** Starts the sites; returns how they are closed. */
export async function startWeb(): Promise<() => Promise<void>> {
  other = await startSite({ '/robots.txt': status(404), '*': page('other') }, { host: '127.0.0.2' });
  site = await startSite({
    '/robots.txt': text('User-agent: other\nDisallow: /\n\nUser-agent: orbweaver-test\nDisallow: /private/\n'),
    '/': links('/a', '/b'),
    '/a': links('/a/b'),
    '/a/b': page('deep'),
    '/b': page('b'),
    '/fail': status(500),
    '/none': status(404),
    '/same1': page('the same words'),
    '/same2': page('the same words'),
    '/moved': redirect('/b', 301),
    '/around': redirect('/about', 302),
    '/about': redirect('/around', 302),
    '/toquery': redirect('/b?q=1', 301),
    '/archive': page('PK\x03\x04', { 'content-type': 'application/zip' }),
    '/links': (req, res) =>
      page(
        `<a href="/file.zip">zip</a> <a href="/secret/x">s</a> <a rel="nofollow" href="/unloved">n</a> <a href="/ok">k</a>
         <a href="ftp://127.0.0.1/f">f</a> <a href="${other.url}/out">o</a> <a href="/${long}">l</a> <a href="/${'y'.repeat(200)}">y</a>
         <a href="/t/x/t/y/t/z">t</a> <a href="/last">last</a>`,
      )(req, res),
    '/unfollowed': page('<meta name="robots" content="nofollow"><a href="/hidden">h</a>'),
  });
  strict = await startSite({ '/robots.txt': text('User-agent: *\nCrawl-delay: 99\n') }, { host: '127.0.0.3' });
  sick = await startSite({ '/robots.txt': status(503) }, { host: '127.0.0.4' });
  return async () => {
    for (const one of [site, other, strict, sick]) await one.close();
  };
}
