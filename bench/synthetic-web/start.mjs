/** Starts the synthetic web as a separate process, and calls its control server. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

const MAIN = fileURLToPath(new URL('main.mjs', import.meta.url));

/**
 * @typedef {object} SyntheticWeb
 * @property {number} port host h is at `http://127.0.1.<h+1>:port/`
 * @property {string} control `http://127.0.0.1:<port>`: `/__stats`, `/__truth`, `/__seeds`, `/__log`, `/__reset`
 * @property {number} pid
 * @property {() => Promise<string[]>} seeds
 * @property {() => Promise<unknown>} stats JSON of `/__stats`
 * @property {() => Promise<string[]>} log
 * @property {() => Promise<{ url: string, status: number, kind: string, md5: string }[]>} truth one row per page
 * @property {() => Promise<void>} reset
 * @property {() => Promise<void>} warm generates every page, compresses the large ones, then resets the statistics
 * @property {() => Promise<number>} maxStallMs the longest delay of its event loop since the last call; 0 at first
 * @property {() => Promise<void>} close
 */

/**
 * Resolves when it listens, on free ports; `options` are those of main.mjs (`{ hosts: 5, robots: 2 }`).
 * @param {Record<string, string | number>} [options]
 * @returns {Promise<SyntheticWeb>}
 */
export async function startSyntheticWeb(options = {}) {
  const [port, controlPort] = await freePorts(2);
  const words = Object.entries({ ...options, port, control: controlPort }).flatMap(([name, value]) => [
    `--${name}`,
    String(value),
  ]);
  const child = spawn(process.execPath, [MAIN, ...words], { stdio: ['ignore', 'pipe', 'inherit'] });
  // The process that started it may end without closing it.
  const endChild = () => child.kill();
  process.once('exit', endChild);
  await listening(child);
  const control = `http://127.0.0.1:${controlPort}`;
  const text = async (path) => (await fetch(control + path)).text();
  const lines = async (path) => (await text(path)).split('\n').filter(Boolean);
  const truth = async () => (await lines('/__truth')).map(truthRow);
  const reset = async () => void (await text('/__reset'));
  return {
    port,
    control,
    pid: child.pid ?? 0,
    seeds: () => lines('/__seeds'),
    stats: async () => JSON.parse(await text('/__stats')),
    log: () => lines('/__log'),
    truth,
    reset,
    warm: async () => {
      const large = (await truth()).filter(({ kind }) => kind === 'huge' || kind === 'deep');
      for (const { url } of large) await (await fetch(url)).arrayBuffer();
      await reset();
    },
    maxStallMs: async () => Number(await text('/__stall')),
    close: async () => {
      process.off('exit', endChild);
      if (child.exitCode !== null || !child.kill()) return;
      await once(child, 'exit');
    },
  };
}

function truthRow(line) {
  const [url = '', status = '', kind = '', md5 = ''] = line.split('\t');
  return { url, status: Number(status), kind, md5 };
}

/** Waits for its first line of output, which it prints when it listens. */
async function listening(child) {
  const ended = once(child, 'exit').then(() => {
    throw new Error('the synthetic web ended at its start');
  });
  ended.catch(() => undefined);
  await Promise.race([once(child.stdout, 'data'), ended]);
  child.stdout.resume();
}

/** Free ports, reserved at the same time so that they differ. */
async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '0.0.0.0'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
