/**
 * Other crawlers on the same pages in the same run. Each is fetched into a scratch folder when it is first used: Crawlee by npm,
 * Scrapy and its dependencies from Debian by `apt-get download`. They are not dependencies of the product.
 *
 * A peer is a process that prints `start`, the URL of each parsed page, and `end`. The time before `start` is not measured.
 */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { download } from '../corpus.mjs';
import { startMeter } from '../cpu.mjs';
import { endWithUs } from '../crawl-server.mjs';

const script = (name) => fileURLToPath(new URL(name, import.meta.url));
const CRAWLEE = ['@crawlee/http@3.18.1', 'htmlparser2@10.0.0'];
const PYTHON = '/usr/bin/python3';

function crawlee(scratch, seedsFile) {
  const folder = join(scratch, 'crawlee');
  mkdirSync(folder, { recursive: true });
  if (!existsSync(join(folder, 'node_modules/@crawlee/http'))) {
    writeFileSync(join(folder, 'package.json'), '{"private":true}\n');
    const options = ['--no-audit', '--no-fund', '--ignore-scripts'];
    execFileSync('npm', ['install', ...options, ...CRAWLEE], { cwd: folder, stdio: 'ignore' });
  }
  return { program: process.execPath, args: [script('crawlee.mjs'), folder, seedsFile], env: {} };
}

/** Debian's Scrapy: the installed one, else unpacked with its dependencies, which `apt-get install -s` lists. */
function scrapy(scratch, seedsFile) {
  const folder = join(scratch, 'scrapy');
  const packages = join(folder, 'root/usr/lib/python3/dist-packages');
  if (!existsSync(packages)) {
    const plan = execFileSync('apt-get', ['install', '-s', '--no-install-recommends', 'python3-scrapy'], {
      encoding: 'utf8',
    });
    const names = [...plan.matchAll(/^Inst (\S+)/gm)].map(([, name]) => name);
    mkdirSync(folder, { recursive: true });
    download(names, folder);
    for (const deb of readdirSync(folder).filter((name) => name.endsWith('.deb'))) {
      execFileSync('dpkg-deb', ['-x', join(folder, deb), join(folder, 'root')]);
    }
  }
  return { program: PYTHON, args: [script('scrapy.py'), seedsFile], env: { PYTHONPATH: packages } };
}

const PEERS = { crawlee, scrapy };
const NAMES = { crawlee: 'Crawlee HTTP + htmlparser2', scrapy: 'Scrapy (Debian)' };

/** CPU seconds, memory and pages of one peer; it is stopped after `cap` seconds. */
async function measurePeer({ program, args, env }, corpus, cap) {
  const child = spawn(program, args, { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'ignore'] });
  endWithUs(child);
  const urls = new Set();
  let meter;
  let measured;
  let timer;
  const finish = () => {
    measured ??= meter?.stop();
    child.kill('SIGKILL');
  };
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'start') {
      meter = startMeter(child.pid, corpus.webPid());
      timer = setTimeout(finish, cap * 1000);
    } else if (line === 'end') finish();
    else if (!measured) urls.add(line);
  });
  await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  if (!measured) throw new Error(`${args[0]} ended before it had crawled`);
  const reached = new Set([...urls].map(corpus.pageOf).filter((page) => corpus.truth.has(page))).size;
  return { ...measured, reached, rate: reached / measured.seconds };
}

/** Crawls the corpus with each of `names`, one after another. @throws Error for an unknown name, or if one cannot be fetched */
export async function measurePeers(names, corpus, { scratch, cap }) {
  const seedsFile = join(scratch, 'seeds.txt');
  mkdirSync(scratch, { recursive: true });
  writeFileSync(seedsFile, `${corpus.seeds.join('\n')}\n`);
  const figures = [];
  for (const name of names) {
    if (!PEERS[name]) throw new Error(`no such peer: ${name}; there are ${Object.keys(PEERS).join(', ')}`);
    figures.push({ name: NAMES[name], ...(await measurePeer(PEERS[name](scratch, seedsFile), corpus, cap)) });
  }
  return figures;
}
