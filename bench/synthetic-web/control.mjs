/** The control server, on 127.0.0.1 at its own port: the contents of the web, and the requests to it. Its own are not counted. */
import { createServer } from 'node:http';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { statisticsOf } from './statistics.mjs';

/**
 * Queries of the control server to one process of the web: `requests` its records, `log` its lines, `stall` the longest delay of
 * its event loop (ms) since the last query, `reset` deletes all records.
 * @param {import('./requests.mjs').Requests} requests
 */
export function questionsOf(requests) {
  let delay;
  return {
    requests: () => requests.records,
    log: () => requests.log,
    reset: () => requests.reset(),
    stall: () => {
      const longest = delay === undefined ? 0 : delay.max / 1e6;
      // Measured from the first query on, as it takes a timer each millisecond.
      delay ??= monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      delay.reset();
      return longest;
    },
  };
}

/**
 * @param {import('./pages.mjs').Pages} pages
 * @param {(question: string) => Promise<any[]>} ask the answers of all processes
 */
export function startControl(pages, ask) {
  const { options, graph } = pages;
  const answers = {
    '/__seeds': async () => Array.from({ length: options.hosts }, (_, host) => `${graph.origin(host)}/\n`).join(''),
    '/__stats': async () => JSON.stringify(statisticsOf((await ask('requests')).flat()), null, 1),
    '/__log': async () => `${(await ask('log')).flat().join('\n')}\n`,
    '/__stall': async () => String(Math.max(...(await ask('stall')))),
    '/__reset': async () => (await ask('reset'), 'reset\n'),
  };
  const server = createServer(async (req, res) => {
    if (req.url === '/__truth') return pipeline(Readable.from(pages.truth()), res).catch(() => res.destroy());
    const answer = answers[req.url];
    if (answer) res.end(await answer());
    else res.writeHead(404).end(`see /__truth ${Object.keys(answers).join(' ')}\n`);
  });
  return server.listen(options.control, '127.0.0.1');
}
