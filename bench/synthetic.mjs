/** The synthetic web of the shared folder as a corpus, for machines without Debian's packages. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import http from 'node:http';
import { join } from 'node:path';
import axios from 'axios';
import { endWithUs, pause } from './crawl-server.mjs';

const WEB = join(process.env.ORBWEAVER_SHARED ?? '../shared', 'bench/synthetic-web.mjs');
const PORT = 8700;
/** The synthetic web sets `maxConnections = 0`, which Node reads as "accept nobody" since version 21. */
const NO_LIMIT = `data:text/javascript,${encodeURIComponent(
  "import { Server } from 'node:net'; Object.defineProperty(Server.prototype, 'maxConnections', { set() {} });",
)}`;

/** The web makes and compresses a page at its first request: that is not part of the measurement. */
async function warmUp(urls) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });
  const options = { httpAgent: agent, decompress: false, responseType: 'arraybuffer', validateStatus: () => true };
  const left = [...urls];
  const visit = async () => {
    for (let url = left.pop(); url; url = left.pop()) {
      await axios.get(url, { ...options, headers: { 'accept-encoding': 'gzip' } });
    }
  };
  await Promise.all(Array.from({ length: 8 }, visit));
  agent.destroy();
}

/** Starts the web of `hosts` times `pages` pages; a corpus as crawl.mjs wants it. */
export async function syntheticCorpus(hosts, pages) {
  if (!existsSync(WEB))
    throw new Error(`needs ${WEB}; ORBWEAVER_SHARED names the folder that has bench/synthetic-web.mjs`);
  const options = ['--port', PORT, '--hosts', hosts, '--pages', pages].map(String);
  const web = spawn(process.execPath, ['--import', NO_LIMIT, WEB, ...options], { stdio: 'ignore' });
  endWithUs(web);
  const ask = async (path) => (await axios.get(`http://127.0.0.1:${PORT + 1}${path}`)).data;
  for (const end = Date.now() + 30_000; !(await ask('/__seeds').catch(() => '')); await pause(100)) {
    if (Date.now() > end) throw new Error('the synthetic web does not answer');
  }
  const truth = (await ask('/__truth')).split('\n').map((line) => line.split('\t'));
  const pagesThere = truth.filter(([url, status]) => url && status === '200').map(([url]) => url);
  await warmUp(pagesThere);
  return {
    label: `the synthetic web, ${hosts} hosts × ${pages} pages`,
    seeds: (await ask('/__seeds')).trim().split('\n'),
    truth: new Set(pagesThere),
    pageOf: (url) => url,
    urlOf: (page) => page,
    webPid: () => web.pid,
    stop: () => web.kill(),
  };
}
