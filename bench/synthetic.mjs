/** The synthetic web as a corpus, for machines without Debian's packages. */
import http from 'node:http';
import axios from 'axios';
import { startSyntheticWeb } from './synthetic-web/start.mjs';

/** The web generates and compresses a page at its first request, which is not part of the measurement. */
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

/** Starts the web of `hosts` times `pages` pages; returns a corpus for crawl.mjs. */
export async function syntheticCorpus(hosts, pages) {
  const web = await startSyntheticWeb({ hosts, pages });
  const truth = await web.truth();
  const pagesThere = truth.filter(({ status }) => status === 200).map(({ url }) => url);
  await warmUp(pagesThere);
  return {
    label: `the synthetic web, ${hosts} hosts × ${pages} pages`,
    seeds: await web.seeds(),
    truth: new Set(pagesThere),
    pageOf: (url) => url,
    urlOf: (page) => page,
    webPid: () => web.pid,
    stop: () => web.close(),
  };
}
