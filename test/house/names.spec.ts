import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { properties } from '../../src/conf/properties.js';
import { namesWithoutMeaning } from '../../src/conf/unsupported-properties.js';

/** What documents and comments name is in the tree: files, specs, properties. */

const root = join(import.meta.dirname, '..', '..');
const tracked = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard'], { cwd: root });
const files = String(tracked).trim().split('\n');
const generated = /^(clients\/typescript\/src\/generated|docs\/properties\.md|docs\/data-model\.md)/;

interface Text {
  path: string;
  text: string;
}

/** Documents, and the comments of source files. */
const texts: Text[] = files
  .filter((path) => /\.(md|ts|mjs|js)$/.test(path) && !generated.test(path))
  .map((path) => ({ path, text: wordsOf(path, readFileSync(join(root, path), 'utf8')) }));

function wordsOf(path: string, text: string): string {
  if (path.endsWith('.md')) return text;
  return (text.match(/\/\*\*?[^]*?\*\/|(?<=^\s*)\/\/.*$/gm) ?? []).join('\n');
}

describe('files that documents and comments name', () => {
  const named = /(?<![\w/.:@-])(?:[\w.-]+\/)*[\w-]+(?:\.[\w-]+)*\.(?:ts|mjs|js|md|tsv)(?![\w/-])/g;
  /** Products, what is built, files of others, and metadata fields, which look like files. */
  const others =
    /^(?:Node|PDF|ipaddr|level3\/xpath|index|dist\/.*|site-rules)\.m?js$|^(?:scoring|index)\.(?:content|parse|db)\.md$/;
  /** CONTRIBUTING.md shows how to make files: each block of code begins with the path of one. */
  const made = new Set(
    [...readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').matchAll(/```ts\n *\/\/ (\S+)/g)].map(([, path]) =>
      basename(path!, '.ts'),
    ),
  );

  const isThere = (name: string): boolean => {
    const path = name.replace(/^(?:\.{1,2}\/)+/, '');
    // Imports name a TypeScript file as it will be built.
    const asSource = path.replace(/\.js$/, '.ts');
    return files.some((file) => [path, asSource].some((one) => file === one || file.endsWith(`/${one}`)));
  };

  it('are in the tree', () => {
    const missing = texts.flatMap(({ path, text }) =>
      [...text.matchAll(named)]
        .map(([name]) => name)
        .filter((name) => !others.test(name) && !isThere(name))
        .filter((name) => path !== 'CONTRIBUTING.md' || !made.has(basename(name).replace(/\.[jt]s$/, '')))
        .map((name) => `${path}: ${name}`),
    );
    expect(texts.length).toBeGreaterThan(1_500);
    expect(missing).toEqual([]);
  });

  it('docs/faults.md names specs by folder and name', () => {
    const rows = readFileSync(join(root, 'docs/faults.md'), 'utf8').matchAll(/^\| .*\|([^|]*)\|$/gm);
    const specs = [...rows].flatMap(([, last]) => last!.match(/\b[a-z]+\/[a-z-]+\b/g) ?? []);
    expect(specs.length).toBeGreaterThan(40);
    const isSpec = (name: string) => files.some((file) => /^test\/(.*?)(\.deep)?\.spec\.ts$/.exec(file)?.[1] === name);
    expect(specs.filter((name) => !isSpec(name))).toEqual([]);
  });
});

describe('properties that documents and comments name', () => {
  const names = [...Object.keys(properties), ...namesWithoutMeaning];
  const groups = new Set(Object.keys(properties).map((name) => name.split('.')[0]));
  /** Columns of tables, fields of results and metadata, and an example. */
  const others = new Set([
    'crawl.dedup_rules',
    'crawl.generate.filter',
    'crawl.id',
    'fetch.beforeCommit',
    'generate.batch.id',
    'generate.segment',
    'http.content.truncated',
    'job.closed_at',
    'job.paused_at',
    'job.state',
    'job.type',
    'sitemap.changefreq',
    'sitemap.lastmod',
    'sitemap.priority',
    'urlfilter.query.parameters.max',
    'webhook.owner',
  ]);

  it('are in the table of properties', () => {
    const missing = texts.flatMap(({ path, text }) =>
      [...text.matchAll(/`([a-z][\w-]*(?:\.[\w-]+)+(?:\.\*)?)(?:=[^`]*)?`/g)]
        .map(([, name]) => name!)
        .filter((name) => groups.has(name.split('.')[0]!) && !/\.(?:[jt]s|mjs|json)$/.test(name))
        .filter((name) => !others.has(name) && !names.some((one) => one === name || isBelow(one, name)))
        .map((name) => `${path}: ${name}`),
    );
    expect(missing).toEqual([]);
  });

  /** `link.analyze.*` stands for all properties that begin so. */
  const isBelow = (name: string, pattern: string): boolean =>
    pattern.endsWith('.*') && name.startsWith(pattern.slice(0, -1));
});
