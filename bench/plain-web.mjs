/**
 * A web that takes hardly any CPU time: `node bench/plain-web.mjs PORT PAGES LATENCY_MS`. It has any number of hosts (127.0.2.1
 * …, all at PORT), each with PAGES pages /p0.html … of some 4 KB with six links and different texts. The next port reports the
 * number of answered requests, and the maximum of concurrent ones.
 */
import { createServer } from 'node:http';

const [port, pages, latency] = process.argv.slice(2).map(Number);
const WORDS = 'orb weaver spins a web from thread to thread and waits at its centre for what may come by '.split(' ');
/** Text of all pages, which each begins at a different position. */
const TEXT = Array.from({ length: 4_000 }, (_, i) => WORDS[(i * i + (i >> 3)) % WORDS.length]).join(' ');
const LINKS = 6;
const TEXT_BYTES = 3_500;

function pageOf(n) {
  const links = Array.from({ length: LINKS }, (_, i) => (n * 7 + i * 131 + 1) % pages);
  const from = (n * 37) % (TEXT.length - TEXT_BYTES);
  const list = links.map((to) => `<li><a href="/p${to}.html">page ${to}</a></li>`).join('\n');
  return `<!DOCTYPE html><html lang="en"><head><title>page ${n}</title></head><body><ul>\n${list}\n</ul><p>${n} ${TEXT.slice(from, from + TEXT_BYTES)}</p></body></html>`;
}

let [answered, open, max] = [0, 0, 0];
const server = createServer({ keepAliveTimeout: 75_000 }, (req, res) => {
  const n = Number(/^\/p(\d+)\.html$/.exec(req.url)?.[1] ?? -1);
  max = Math.max(max, ++open);
  res.on('close', () => open--);
  setTimeout(() => {
    answered++;
    if (n < 0 || n >= pages) return res.writeHead(404, { 'content-type': 'text/plain' }).end('none');
    res.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(pageOf(n) + req.headers.host);
  }, latency);
});
server.listen(port, '0.0.0.0', 4_096);
createServer((_req, res) => res.end(JSON.stringify({ answered, max }))).listen(port + 1, '127.0.0.1');
