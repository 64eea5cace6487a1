/**
 * A web of real documentation on this machine: pages of Debian's doc packages, one host per package, served by nginx on loopback
 * addresses.
 *
 *   node bench/corpus.mjs [--dir DIR] [--port 8600]            assembles it (once) and starts nginx
 *   node bench/corpus.mjs --stop [--dir DIR]                   stops nginx
 *
 * Packages are fetched with `apt-get download` and unpacked with `dpkg-deb -x`: neither needs root, nothing is installed. Output:
 * `www/<package>/` the pages, `seeds.txt` one URL per host, `truth.txt` all pages reachable from the seeds (see reachable.mjs),
 * `nginx/` configuration and, if the machine has no nginx, its program.
 *
 * Only documents are kept (HTML and text): a crawl does not request other files, or gets no links from them. Symbolic links to
 * outside are removed; those to another page become copies.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';
import { startNginx, stopNginx } from './nginx.mjs';
import { walk } from './reachable.mjs';

/** The first nine hosts have 3,000 pages of the mean size, and so are a small corpus of the same kind. */
const PACKAGES = [
  'git-doc',
  'python-django-doc',
  'libgtk-3-doc',
  'sphinx-doc',
  'qtdeclarative5-doc-html',
  'maxima-doc',
  'python-sqlalchemy-doc',
  'postfix-doc',
  'debian-policy',
  'python3.11-doc',
  'postgresql-doc-15',
  'libglib2.0-doc',
  'sqlite3-doc',
  'nodejs-doc',
  'erlang-doc',
  'apache2-doc',
  'python-sympy-doc',
  'libeigen3-doc',
  'bind9-doc',
  'libboost1.81-doc',
  'gnuplot-doc',
  'libxerces-c-doc',
];
const HTML = /\.x?html?$/i;
const DOCUMENT = /\.(x?html?|txt)$/i;
const ROBOTS = 'User-agent: *\nDisallow: /cgi-bin/\nDisallow: /private/\n\nUser-agent: unwanted-bot\nDisallow: /\n';

export const defaultFolder = () => join(tmpdir(), 'orbweaver-corpus');
const addressOf = (index) => `127.0.1.${index + 1}`;

/** All files and symbolic links below `folder`; links are not followed. */
function filesBelow(folder) {
  const entries = readdirSync(folder, { withFileTypes: true });
  return entries.flatMap((entry) => {
    const path = join(folder, entry.name);
    return entry.isDirectory() ? filesBelow(path) : [path];
  });
}

/** Fetches Debian packages into a folder, unless they are there already. */
export function download(names, folder) {
  mkdirSync(folder, { recursive: true });
  const missing = names.filter((name) => !readdirSync(folder).some((file) => file.startsWith(`${name}_`)));
  if (missing.length === 0) return;
  try {
    execFileSync('apt-get', ['download', '-q', ...missing], { cwd: folder, stdio: ['ignore', 'ignore', 'pipe'] });
  } catch (error) {
    throw new Error(`apt-get download ${missing.join(' ')}: ${error.stderr ?? error.message}`, { cause: error });
  }
}

function unpack(name, debs, into) {
  const file = readdirSync(debs).find((deb) => deb.startsWith(`${name}_`));
  rmSync(into, { recursive: true, force: true });
  execFileSync('dpkg-deb', ['-x', join(debs, file), into]);
}

/** Keeps documents only: decompresses pages, replaces internal links by copies, removes everything else. */
function keepDocuments(folder) {
  const inside = `${realpathSync(folder)}/`;
  for (const file of filesBelow(folder)) {
    const plain = file.replace(/\.gz$/, '');
    if (!DOCUMENT.test(plain)) {
      rmSync(file);
    } else if (lstatSync(file).isSymbolicLink()) {
      const target = existsSync(file) ? realpathSync(file) : '';
      rmSync(file);
      if (target.startsWith(inside) && statSync(target).isFile()) copyFileSync(target, file);
    } else if (file !== plain) {
      if (!existsSync(plain)) writeFileSync(plain, gunzipSync(readFileSync(file)));
      rmSync(file);
    }
  }
}

/** The deepest folder that contains all pages. */
function commonFolder(pages) {
  let common = dirname(pages[0]);
  while (!pages.every((page) => page.startsWith(`${common}/`))) common = dirname(common);
  return common;
}

/** Adds a first page to a package without one: it links to all first pages below it, or to all pages if there are none. */
function writeIndex(root, pages) {
  if (existsSync(join(root, 'index.html'))) return;
  const first = pages.filter((page) => /^index\.x?html?$/.test(basename(page)));
  const items = (first.length > 0 ? first : pages)
    .map((page) => relative(root, page))
    .sort()
    .map((path) => `<li><a href="${encodeURI(path)}">${path.replaceAll('&', '&amp;')}</a></li>`);
  writeFileSync(join(root, 'index.html'), `<!DOCTYPE html><title>Contents</title><ul>${items.join('\n')}</ul>\n`);
}

function makeHost(name, debs, www) {
  const unpacked = join(www, `.${name}`);
  unpack(name, debs, unpacked);
  keepDocuments(unpacked);
  const pages = filesBelow(unpacked).filter((file) => HTML.test(file));
  if (pages.length === 0) throw new Error(`${name} has no pages`);
  const root = commonFolder(pages);
  writeIndex(root, pages);
  writeFileSync(join(root, 'robots.txt'), ROBOTS);
  rmSync(join(www, name), { recursive: true, force: true });
  renameSync(root, join(www, name));
  rmSync(unpacked, { recursive: true, force: true });
}

/** Assembles the corpus in `folder`, unless it exists already; returns the result of `corpusIn`. */
export function assemble(folder, port, log = () => undefined) {
  const debs = join(folder, 'debs');
  const www = join(folder, 'www');
  mkdirSync(www, { recursive: true });
  if (!existsSync(join(folder, 'truth.txt'))) {
    download(PACKAGES, debs);
    for (const name of PACKAGES) makeHost(name, debs, www);
    const hosts = PACKAGES.map((name, index) => ({ address: addressOf(index), root: join(www, name) }));
    const truth = [];
    for (const { address, root } of hosts) {
      const { reached, pages, bytes, texts, missing } = walk(root);
      log(
        `${address} ${basename(root)}: ${reached.length} of ${pages} pages are reachable, ${texts} texts, ${missing} links to nothing, ${(bytes / 2 ** 20).toFixed(1)} MB`,
      );
      truth.push(...reached.map((path) => `${address}\t${path}\t${statSync(join(root, path)).size}`));
    }
    writeFileSync(join(folder, 'truth.txt'), `${truth.join('\n')}\n`);
  }
  return corpusIn(folder, port);
}

/**
 * The corpus of a folder: `hosts` with address, root and number of reachable pages; `truth` address and path of each
 * reachable page; `bytes` of them; `seeds`.
 */
export function corpusIn(folder, port) {
  const lines = readFileSync(join(folder, 'truth.txt'), 'utf8').trim().split('\n');
  const truth = lines
    .map((line) => line.split('\t'))
    .map(([address, path, size]) => ({ address, path, size: Number(size) }));
  const hosts = PACKAGES.map((name, index) => ({
    name,
    address: addressOf(index),
    root: join(folder, 'www', name),
    pages: truth.filter(({ address }) => address === addressOf(index)).length,
  }));
  const seeds = hosts.map(({ address }) => `http://${address}:${port}/`);
  writeFileSync(join(folder, 'seeds.txt'), `${seeds.join('\n')}\n`);
  return { folder, port, hosts, truth, seeds };
}

/** The first hosts of a corpus, up to `pages` pages or `hosts` hosts. */
export function partOf(corpus, { pages = Infinity, hosts = Infinity }) {
  const taken = [];
  for (let sum = 0; taken.length < Math.min(hosts, corpus.hosts.length) && sum < pages; sum += taken.at(-1).pages) {
    taken.push(corpus.hosts[taken.length]);
  }
  const addresses = new Set(taken.map(({ address }) => address));
  return {
    ...corpus,
    hosts: taken,
    truth: corpus.truth.filter(({ address }) => addresses.has(address)),
    seeds: corpus.seeds.slice(0, taken.length),
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values } = parseArgs({
    options: {
      dir: { type: 'string', default: defaultFolder() },
      port: { type: 'string', default: '8600' },
      stop: { type: 'boolean', default: false },
    },
  });
  if (values.stop) {
    stopNginx(values.dir);
  } else {
    const corpus = assemble(values.dir, Number(values.port), console.error);
    await startNginx(corpus, download);
    const mean = corpus.truth.reduce((sum, { size }) => sum + size, 0) / corpus.truth.length / 1024;
    console.log(
      `${corpus.truth.length} reachable pages on ${corpus.hosts.length} hosts, mean ${mean.toFixed(1)} KB; first: ${corpus.seeds[0]}`,
    );
  }
}
