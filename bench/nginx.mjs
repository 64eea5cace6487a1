/**
 * nginx for the corpus: one worker, one server per address, files by sendfile, unlimited keep-alive, an access log on request.
 */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import { LOG_FORMAT } from './politeness.mjs';
import { delimiter, join } from 'node:path';

const configuration = ({ hosts, port, folder }, log) => `
worker_processes 1;
pid ${folder}/nginx/pid;
error_log ${folder}/nginx/error.log error;
daemon on;
events { worker_connections 4096; }
http {
  types { text/html html htm shtml; application/xhtml+xml xhtml; text/plain txt; }
  default_type application/octet-stream;
  log_format times '${LOG_FORMAT}';
  access_log ${log ? `${log} times` : 'off'};
  sendfile on;
  tcp_nopush on;
  etag on;
  keepalive_requests 1000000;
  keepalive_timeout 60s;
  open_file_cache max=50000 inactive=600s;
  server_tokens off;
  absolute_redirect on;
${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `  ${kind}_temp_path ${folder}/nginx/${kind};`).join('\n')}
${hosts.map(({ address, root }) => `  server { listen ${address}:${port}; root ${root}; index index.html index.htm; }`).join('\n')}
}
`;

/** The program: the machine's own, else that of the Debian package, unpacked into the corpus. */
function program(folder, download) {
  const own = (process.env.PATH ?? '')
    .split(delimiter)
    .concat('/usr/sbin')
    .map((path) => join(path, 'nginx'))
    .find(existsSync);
  if (own) return own;
  const unpacked = join(folder, 'nginx/package');
  if (!existsSync(unpacked)) {
    const debs = join(folder, 'debs');
    download(['nginx'], debs);
    execFileSync('sh', ['-c', 'dpkg-deb -x "$0"/nginx_*.deb "$1"', debs, unpacked]);
  }
  return join(unpacked, 'usr/sbin/nginx');
}

const answers = (url) =>
  new Promise((resolve) => {
    http.get(url, (response) => resolve(response.resume().statusCode === 200)).on('error', () => resolve(false));
  });

/** Starts nginx, unless it serves the corpus already; resolves when the last host answers. @param log file for its access log */
export async function startNginx(corpus, download, log) {
  const last = corpus.seeds.at(-1);
  if (await answers(last)) return;
  mkdirSync(join(corpus.folder, 'nginx'), { recursive: true });
  const path = join(corpus.folder, 'nginx/nginx.conf');
  writeFileSync(path, configuration(corpus, log));
  execFileSync(program(corpus.folder, download), ['-c', path, '-e', join(corpus.folder, 'nginx/error.log')]);
  for (const end = Date.now() + 10_000; !(await answers(last)); await new Promise((wake) => setTimeout(wake, 50))) {
    if (Date.now() > end) throw new Error(`nginx does not answer at ${last}`);
  }
}

/** Process id of the corpus' nginx, if it runs. After a kill the pid file remains. */
export function nginxPid(folder) {
  const path = join(folder, 'nginx/pid');
  if (!existsSync(path)) return undefined;
  const pid = Number(readFileSync(path, 'utf8'));
  try {
    process.kill(pid, 0);
    return pid;
  } catch {
    return undefined;
  }
}

export function stopNginx(folder) {
  const pid = nginxPid(folder);
  if (pid) process.kill(pid, 'SIGQUIT');
}
