/**
 * The command line of Nutch 1.x as a table: the words that a command accepts, and the argument of the REST job for each.
 * Paths are names here: of `crawl/segments/1763600000-17` the crawl is `crawl` and the batch the last part.
 */
import type { JobConfig } from '../../../clients/typescript/src/generated/schemas.js';
import { crawlOfPath, isStore } from '../../core/url/store-path.js';
import { usageError } from '../exit-codes.js';

/** `crawldb`: names the crawl; `seeds`: seeds; `segments`: a folder of batches; `segment`: batches; `linkdb`: names the crawl too. */
type PathKind = 'crawldb' | 'linkdb' | 'seeds' | 'segments' | 'segment';

/** The options of a command. */
export interface NutchOptions {
  /** Options with a value: Nutch's name → the argument. */
  readonly values: Readonly<Record<string, string>>;
  /** Options without one. */
  readonly flags: readonly string[];
  /** Options with a value that changes nothing here. */
  readonly unused?: readonly string[];
  readonly usage: string;
}

interface NutchCommand extends NutchOptions {
  readonly type: JobConfig['type'];
  readonly paths: readonly PathKind[];
  /** All segments go to one job, instead of one job each. */
  readonly joins?: boolean;
}

export const NUTCH_COMMANDS: Readonly<Record<string, NutchCommand>> = {
  inject: {
    type: 'INJECT',
    paths: ['crawldb', 'seeds'],
    values: {},
    flags: ['overwrite', 'update', 'noFilter', 'noNormalize'],
    usage: '<crawldb> <url_dir> [-overwrite | -update] [-noFilter] [-noNormalize]',
  },
  generate: {
    type: 'GENERATE',
    paths: ['crawldb', 'segments'],
    values: {
      topN: 'topN',
      numFetchers: 'numFetchers',
      expr: 'expr',
      adddays: 'adddays',
      maxNumSegments: 'maxNumSegments',
      hostdb: 'hostdb',
    },
    flags: ['force', 'noFilter', 'noNorm'],
    usage:
      '<crawldb> <segments_dir> [-force] [-topN N] [-numFetchers N] [-expr E] [-adddays N] [-noFilter] [-noNorm] [-maxNumSegments N] [-hostdb <hostdb>]',
  },
  fetch: {
    type: 'FETCH',
    paths: ['segment'],
    values: { threads: 'threads' },
    flags: ['noParsing'],
    usage: '<segment> [-threads N] [-noParsing]',
  },
  parse: {
    type: 'PARSE',
    paths: ['segment'],
    values: {},
    flags: ['noFilter', 'noNormalize'],
    usage: '<segment> [-noFilter] [-noNormalize]',
  },
  updatedb: {
    type: 'UPDATEDB',
    paths: ['crawldb', 'segment'],
    values: { dir: 'segment_dir' },
    flags: ['force', 'normalize', 'filter', 'noAdditions'],
    usage: '<crawldb> (-dir <segments> | <segment>...) [-force] [-normalize] [-filter] [-noAdditions]',
  },
  invertlinks: {
    type: 'INVERTLINKS',
    paths: ['linkdb', 'segment'],
    values: { dir: 'segment_dir' },
    flags: ['noNormalize', 'noFilter', 'force'],
    usage: '<linkdb> (-dir <segmentsDir> | <segment>...) [-noNormalize] [-noFilter] [-force]',
  },
  mergesegs: {
    type: 'MERGESEGS',
    paths: ['segments', 'segment'],
    values: { dir: 'segment_dir', slice: 'slice' },
    flags: ['filter', 'normalize'],
    joins: true,
    usage: '<output_dir> (-dir <segments> | <segment>...) [-filter] [-normalize] [-slice N]',
  },
  dedup: {
    type: 'DEDUP',
    paths: ['crawldb'],
    values: { group: 'group', compareOrder: 'compareOrder' },
    flags: [],
    usage: '<crawldb> [-group none|host|domain] [-compareOrder score,fetchTime,urlLength]',
  },
  index: {
    type: 'INDEX',
    paths: ['crawldb', 'segment'],
    values: { dir: 'segment_dir', linkdb: 'linkdb', params: 'params' },
    flags: ['noCommit', 'deleteGone', 'filter', 'normalize', 'addBinaryContent', 'base64'],
    usage:
      '<crawldb>|-nocrawldb (<segment>... | -dir <segments>) [-linkdb <linkdb>] [-params k1=v1&k2=v2...] [-noCommit] [-deleteGone] [-filter] [-normalize] [-addBinaryContent] [-base64]',
  },
  clean: {
    type: 'CLEAN',
    paths: ['crawldb'],
    values: {},
    flags: ['noCommit', 'normalize'],
    usage: '<crawldb> [-noCommit] [-normalize]',
  },
  webgraph: {
    type: 'WEBGRAPH',
    paths: [],
    values: { webgraphdb: 'webgraphdb' },
    flags: [],
    unused: ['segmentDir', 'segment'],
    usage: '-webgraphdb <webgraphdb> [-segmentDir <segments> | -segment <segment>]',
  },
  linkrank: {
    type: 'LINKRANK',
    paths: [],
    values: { webgraphdb: 'webgraphdb' },
    flags: [],
    usage: '-webgraphdb <webgraphdb>',
  },
  scoreupdater: {
    type: 'SCOREUPDATE',
    paths: [],
    values: { crawldb: 'crawldb', webgraphdb: 'webgraphdb' },
    flags: [],
    usage: '-crawldb <crawldb> -webgraphdb <webgraphdb>',
  },
};

/** Options whose values are paths of stores, which name the crawl. */
const STORE_OPTIONS = ['dir', 'webgraphdb', 'crawldb', 'segmentDir', 'segment'];

const NO_CRAWLDB = /^--?nocrawldb$/i;
/** `index -nocrawldb`: only its segments name the crawl. */
const WITHOUT_CRAWLDB: NutchCommand = { ...NUTCH_COMMANDS['index']!, paths: ['segment'] };

export interface NutchWords {
  readonly type: JobConfig['type'];
  readonly crawlId: string;
  /** Arguments of the job, without seeds and batches. */
  readonly args: Readonly<Record<string, unknown>>;
  /** Batches that were named, one job for each; none: the default of the job. */
  readonly batches: readonly string[];
  /** The seeds: a file or folder here, or the name of a stored list. */
  readonly seeds: string | undefined;
  /** The folder under which a new batch is printed. */
  readonly segments: string | undefined;
  /** Sentences about words that do not have the effect that they seem to have. */
  readonly notes: readonly string[];
  /** Properties of -D. */
  readonly conf: Readonly<Record<string, string>>;
  readonly server: string | undefined;
}

/** Options of every command: `-crawlId` is Nutch 2.x's. */
const OF_EVERY_COMMAND = ['crawlId', 'server'];

/** Reads the words of a command. @throws StartError `environment`, which names the wrong word */
export function readNutchWords(command: string, words: readonly string[]): NutchWords {
  const named = NUTCH_COMMANDS[command];
  if (!named) throw usageError(command, 'is no command of Nutch that is offered here');
  const syntax = command === 'index' && words.some((word) => NO_CRAWLDB.test(word)) ? WITHOUT_CRAWLDB : named;
  const { positionals: paths, options, flags, conf } = sortWords(command, syntax, words);
  const expected = syntax.paths.length;
  const many = syntax.paths.at(-1) === 'segment';
  const stores = STORE_OPTIONS.flatMap((name) => options.get(name) ?? []);
  if (paths.length < expected && !options.has('dir')) throw usageError(command, `takes ${syntax.usage}`);
  if (expected === 0 && stores.length === 0 && !options.has('crawlId'))
    throw usageError(command, `takes ${syntax.usage}`);
  if (paths.length > expected && !many) throw usageError(command, `"${paths[expected]}" is one word too many`);
  const at = (kind: PathKind): string | undefined =>
    syntax.paths.includes(kind) ? paths[syntax.paths.indexOf(kind)] : undefined;
  const segments = many ? paths.slice(expected - 1) : [];
  const batches = segments.flatMap(batchOfPath);
  const store = at('crawldb') ?? at('linkdb') ?? at('segments') ?? '';
  const crawlId = options.get('crawlId') ?? oneCrawl(command, [store, at('segments') ?? '', ...segments, ...stores]);
  const args = Object.entries(syntax.values).flatMap(([name, arg]) =>
    options.has(name) ? [[arg, options.get(name)]] : [],
  );
  return {
    type: syntax.type,
    crawlId,
    args: {
      ...Object.fromEntries(args),
      ...Object.fromEntries([...flags].map((name) => [name, true])),
      ...(syntax.joins && batches.length > 0 && { segment: batches }),
    },
    batches: syntax.joins ? [] : batches,
    seeds: at('seeds'),
    segments: at('segments'),
    notes: [
      ...(options.has('crawlId') || crawlId !== '' ? [] : unnamedStores(expected === 0 ? stores : [store])),
      ...(syntax.unused ?? []).flatMap((name) =>
        options.has(name) ? [`-${name} changes nothing: ${syntax.type} reads the links of all pages of the crawl`] : [],
      ),
    ],
    conf,
    server: options.get('server'),
  };
}

/** The crawl that all paths belong to; the empty one if they name none. @throws StartError `environment` if they name two */
function oneCrawl(command: string, paths: readonly string[]): string {
  const [crawl = '', second] = crawlsOfPaths(paths);
  if (second === undefined) return crawl;
  throw usageError(command, `the paths name the crawls "${crawl}" and "${second}": name one, or add -crawlId`);
}

/** `crawldb` alone is the store of the empty crawl; in `k1` somebody may have named a crawl. */
function unnamedStores(paths: readonly string[]): string[] {
  const path = paths.find((candidate) => candidate !== '' && !isStore(candidate));
  if (path === undefined) return [];
  return [`"${path}" names no crawl, as k1/crawldb or -crawlId k1 does: the one with the empty id is used`];
}

/** The option that a word names. Flags may have any letter case: `bin/crawl` of Nutch writes `-nofilter`. */
function nameOf(word: string, { flags, values, unused = [] }: NutchOptions): string | undefined {
  const option = word.replace(/^--?/, '');
  if (Object.hasOwn(values, option) || [...unused, ...OF_EVERY_COMMAND].includes(option)) return option;
  return flags.find((name) => name.toLowerCase() === option.toLowerCase());
}

/** Sorts the words of a command; `-` alone is a path. @throws StartError `environment`, which names the wrong word */
export function sortWords(command: string, syntax: NutchOptions, words: readonly string[]) {
  const paths: string[] = [];
  const options = new Map<string, string>();
  const flags = new Set<string>();
  const conf = new Map<string, string>();
  for (let at = 0; at < words.length; at += 1) {
    let word = words[at] ?? '';
    // Hadoop accepts -Dname=value as two words, too.
    if (word === '-D') word += words[(at += 1)] ?? '';
    const name = nameOf(word, syntax);
    const property = /^-D([^=]+)=([^]*)$/.exec(word);
    if (property) conf.set(property[1] ?? '', property[2] ?? '');
    else if (word === '-' || !word.startsWith('-')) paths.push(word);
    else if (NO_CRAWLDB.test(word) && syntax === WITHOUT_CRAWLDB) continue;
    else if (name === undefined) throw usageError(command, `unknown option ${word}; it takes ${syntax.usage}`);
    else if (syntax.flags.includes(name)) flags.add(name);
    else {
      const value = words[(at += 1)];
      // An expression may begin with a minus; what is itself an option was meant as one.
      if (value === undefined || (value.startsWith('-') && nameOf(value, syntax) !== undefined))
        throw usageError(command, `${word} takes a value`);
      options.set(name, value);
    }
  }
  return { positionals: paths, options, flags, conf: Object.fromEntries(conf) };
}

/** The crawls that paths name, each once. */
export const crawlsOfPaths = (paths: readonly string[]): string[] => [
  ...new Set(paths.map(crawlOfPath).filter((crawl) => crawl !== null)),
];

/** The batch of a segment's path; none for a folder of segments: the job uses the newest. */
export function batchOfPath(path: string): string[] {
  const last = path.split('/').filter(Boolean).at(-1) ?? '';
  return isStore(path) ? [] : [last];
}
