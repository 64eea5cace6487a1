/**
 * Cost of normalizing and filtering outlinks: 100,000 typical links, by the default plugins, and the additional cost of further
 * plugins. The links are generated from a fixed seed, so that runs are comparable.
 *
 * Run: npm run bench:url-rules
 */
import { parseConf } from '../dist/src/core/conf/properties.js';
import { makeUrlRules } from '../dist/src/plugin/url-rules.js';

const wanted = 100_000;
const rounds = 7;

/** Pseudo-random numbers, the same in each run (a linear congruential generator). */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 4_294_967_296) * below);
  };
}

const words =
  'docs api guide reference blog news about team release notes install config plugin index search tag user'.split(' ');
const next = numbers(7);
const pick = (list) => list[next(list.length)];

/** A resolved link: mostly plain, some with queries, fragments, escapes, capitals, dots. */
function link() {
  const host = `${pick(['www', 'docs', 'blog', 'm'])}.${pick(words)}${next(300)}.${pick(['com', 'org', 'net', 'de', 'co.uk'])}`;
  const path = Array.from(
    { length: 1 + next(5) },
    () => `${pick(words)}${next(4) === 0 ? `-${next(10_000)}` : ''}`,
  ).join('/');
  const end = pick(['', '/', '.html', '.html', '.html', '.php', '.pdf', '.png', '/index.html']);
  const kind = next(100);
  const query = kind < 12 ? `?id=${next(1_000_000)}&page=${next(50)}` : '';
  const fragment = kind >= 12 && kind < 30 ? `#${pick(words)}-${next(100)}` : '';
  const odd = kind >= 30 && kind < 33 ? '/%7euser/caf%C3%A9/' : kind >= 33 && kind < 35 ? '/a/../b//c' : '';
  const shown = kind >= 35 && kind < 38 ? host.toUpperCase() : host;
  return `${pick(['https', 'https', 'http'])}://${shown}${odd}/${path}${end}${query}${fragment}`;
}

const links = Array.from({ length: wanted }, link);
const chains = [
  ['default plugins', {}],
  ['without filters', { 'plugin.excludes': 'urlfilter-.*' }],
  ['default rules of urlfilter-automaton', { 'plugin.includes': 'urlfilter-automaton|urlnormalizer-(basic|regex)' }],
  ['urlfilter-validator, -prefix', { 'plugin.includes': 'urlfilter-(validator|prefix)|urlnormalizer-(basic|regex)' }],
  [
    '100,000 domains denied',
    {
      'plugin.includes': 'urlfilter-domaindenylist|urlnormalizer-(basic|regex)',
      'urlfilter.domaindenylist.rules': Array.from({ length: wanted }, (_, i) => `bad${i}.com`).join('\n'),
    },
  ],
  [
    '100,000 prefixes kept',
    {
      'plugin.includes': 'urlfilter-prefix|urlnormalizer-(basic|regex)',
      'urlfilter.prefix.rules': Array.from({ length: wanted }, (_, i) => `http://good${i}/`).join('\n'),
    },
  ],
  [
    "five expressions of one's own",
    {
      'urlfilter.regex.rules':
        '-\\.(?:pdf|png)$\n-/tag/\n-[?&]page=[0-9]+\n-^https?://m\\.\n+^https?://[^/]+\\.(?:com|org)/',
    },
  ],
];

for (const [name, params] of chains) {
  const started = performance.now();
  const rules = makeUrlRules(parseConf(params).conf);
  const compiled = performance.now() - started;
  const times = [];
  let kept = 0;
  for (let round = 0; round < rounds; round++) {
    const begin = performance.now();
    kept = 0;
    for (const url of links) if ('url' in rules.admit(url, 'outlink', { normalize: true, filter: true })) kept++;
    times.push(performance.now() - begin);
  }
  const micros = (Math.min(...times) * 1_000) / wanted;
  console.log(`${name}: ${micros.toFixed(2)} µs/URL, ${kept} kept, compiled in ${compiled.toFixed(0)} ms`);
}
