/** Serves the bundled web on loopback: each site at an address of its own (127.0.0.1, .2, .3), so that each is a host. */
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { demoDelays, type DemoPage, demoPages, demoRedirects, demoRobots, type DemoSite, demoSites } from './pages.js';

export interface DemoWeb {
  /** `http://127.0.0.N:port`, without a slash at the end. */
  readonly urls: Readonly<Record<DemoSite, string>>;
  close(): Promise<void>;
}

/** Starts all sites on free ports. If the system has 127.0.0.1 only, they differ in their ports. */
export async function startDemoWeb(): Promise<DemoWeb> {
  const urls: Record<DemoSite, string> = { observatory: '', garden: '', library: '' };
  const servers: Server[] = [];
  for (const [index, site] of demoSites.entries()) {
    const server = createServer((req, res) => answer(req, res, { site, urls }));
    servers.push(server);
    const host = await listen(server, `127.0.0.${index + 1}`).catch(() => listen(server, '127.0.0.1'));
    urls[site] = `http://${host}:${(server.address() as AddressInfo).port}`;
  }
  return {
    urls,
    close: async () => {
      for (const server of servers) {
        server.close();
        server.closeAllConnections();
      }
    },
  };
}

async function listen(server: Server, host: string): Promise<string> {
  server.listen(0, host);
  await once(server, 'listening');
  return host;
}

interface Route {
  readonly site: DemoSite;
  readonly urls: Readonly<Record<DemoSite, string>>;
}

function answer(req: IncomingMessage, res: ServerResponse, route: Route): void {
  const path = req.url ?? '/';
  const at = `${route.site}:${path}`;
  const page = demoPages[route.site].get(path);
  const target = demoRedirects[at];
  res.on('error', () => undefined);
  if (path === '/robots.txt') return send(res, 200, 'text/plain', demoRobots[route.site]);
  if (target) return void res.writeHead(301, { location: target }).end();
  if (!page) return send(res, 404, 'text/html', document(`Not here: ${path}`, '<p>Nothing grows here.</p>'));
  const timer = setTimeout(() => send(res, 200, 'text/html', pageText(page, route)), demoDelays[at] ?? 0);
  res.on('close', () => clearTimeout(timer));
}

function send(res: ServerResponse, status: number, type: string, text: string): void {
  res
    .writeHead(status, { 'content-type': `${type}; charset=utf-8`, 'content-length': Buffer.byteLength(text) })
    .end(text);
}

function pageText({ title, text, links }: DemoPage, { site, urls }: Route): string {
  const items = links.map((link) => {
    const [, linkedSite = site, path = '/'] = /^(?:(\w+):)?(.*)$/.exec(link) ?? [];
    const words = demoPages[linkedSite as DemoSite].get(path)?.title ?? path.slice(1);
    return `<li><a href="${linkedSite === site ? path : urls[linkedSite as DemoSite] + path}">${words}</a></li>`;
  });
  return document(title, `<p>${text}</p>\n<ul>\n${items.join('\n')}\n</ul>`);
}

function document(title: string, body: string): string {
  return `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n<h1>${title}</h1>\n${body}\n</body>\n</html>\n`;
}
