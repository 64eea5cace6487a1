/** The synthetic web of the shared folder as a corpus, for machines without Debian's packages. */
import http from 'node:http';
import axios from 'axios';
import { endWithUs, pause } from './crawl-server.mjs';
import { startSyntheticWeb } from './synthetic-web.mjs';

const PORT = 8700;

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
  const web = startSyntheticWeb({ port: PORT, hosts, pages });
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
