/** The synthetic web of the shared folder, as a process of its own. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';

const WEB = join(process.env.ORBWEAVER_SHARED ?? '../shared', 'bench/synthetic-web.mjs');
/** The synthetic web sets `maxConnections = 0`, which Node reads as "accept nobody" since version 21. */
const NO_LIMIT = `data:text/javascript,${encodeURIComponent(
  "import { Server } from 'node:net'; Object.defineProperty(Server.prototype, 'maxConnections', { set() {} });",
)}`;

/** Starts it with options of its own (`{ port: 8700, hosts: 50 }`); its control server is at the port behind. */
export function startSyntheticWeb(options) {
  if (!existsSync(WEB))
    throw new Error(`needs ${WEB}; ORBWEAVER_SHARED names the folder that has bench/synthetic-web.mjs`);
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, String(value)]);
  return spawn(process.execPath, ['--import', NO_LIMIT, WEB, ...words], { stdio: ['ignore', 'ignore', 'inherit'] });
}
