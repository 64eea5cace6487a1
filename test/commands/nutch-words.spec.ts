import { describe, expect, it } from 'vitest';
import { crawlsOfPaths, NUTCH_COMMANDS, readNutchWords } from '../../src/commands/nutch/nutch-commands.js';

/** The arguments of Nutch's command line and their translation (row N5). */

describe("readNutchWords: arguments of Nutch's command line", () => {
  it.each<[string, string, object]>([
    ['inject', 'crawl/crawldb seeds', { type: 'INJECT', crawlId: 'crawl', args: {}, seeds: 'seeds' }],
    ['inject', 'crawl/crawldb seeds -overwrite -noFilter', { args: { overwrite: true, noFilter: true } }],
    [
      'generate',
      'crawldb segments -topN 2 -numFetchers 2',
      { type: 'GENERATE', crawlId: '', args: { topN: '2', numFetchers: '2' }, segments: 'segments' },
    ],
    [
      'generate',
      'a/crawldb a/segments -adddays 30 -noNorm -maxNumSegments 3 -force',
      { crawlId: 'a', args: { adddays: '30', noNorm: true, maxNumSegments: '3', force: true } },
    ],
    [
      'fetch',
      'a/segments/17-3 -threads 50',
      { type: 'FETCH', crawlId: 'a', args: { threads: '50' }, batches: ['17-3'] },
    ],
    ['fetch', 'a/segments', { crawlId: 'a', batches: [] }],
    ['parse', 'a/segments/17-3/', { type: 'PARSE', crawlId: 'a', batches: ['17-3'] }],
    [
      'updatedb',
      'a/crawldb a/segments/1 a/segments/2 -normalize',
      { type: 'UPDATEDB', crawlId: 'a', batches: ['1', '2'], args: { normalize: true } },
    ],
    ['updatedb', 'a/crawldb -dir a/segments', { crawlId: 'a', batches: [], args: { segment_dir: 'a/segments' } }],
    [
      'invertlinks',
      'a/linkdb -dir a/segments -noNormalize',
      { type: 'INVERTLINKS', crawlId: 'a', args: { segment_dir: 'a/segments', noNormalize: true } },
    ],
    // As bin/crawl of Nutch calls them.
    ['invertlinks', 'a/linkdb a/segments/1 -noNormalize -nofilter', { args: { noNormalize: true, noFilter: true } }],
    ['generate', 'a/crawldb a/segments -topN 5 -hostdb a/hostdb', { args: { topN: '5', hostdb: 'a/hostdb' } }],
    ['invertlinks', 'linkdb segment', { crawlId: '', batches: [] }],
    [
      'dedup',
      'a/crawldb -group domain -compareOrder score,urlLength',
      { type: 'DEDUP', args: { group: 'domain', compareOrder: 'score,urlLength' } },
    ],
    [
      'mergesegs',
      'a/merged a/segments/1 a/segments/2 -filter -slice 500',
      { type: 'MERGESEGS', crawlId: 'a', batches: [], args: { segment: ['1', '2'], filter: true, slice: '500' } },
    ],
    [
      'mergesegs',
      'a/merged -dir a/segments',
      { crawlId: 'a', batches: [], args: { segment_dir: 'a/segments' }, segments: 'a/merged' },
    ],
    [
      'index',
      'a/crawldb -linkdb a/linkdb a/segments/1 a/segments/2 -deleteGone -noCommit -filter -normalize',
      {
        type: 'INDEX',
        crawlId: 'a',
        batches: ['1', '2'],
        args: { linkdb: 'a/linkdb', deleteGone: true, noCommit: true, filter: true, normalize: true },
      },
    ],
    [
      'index',
      'a/crawldb -dir a/segments -params parts=4&x=y -addBinaryContent -base64',
      {
        batches: [],
        args: { segment_dir: 'a/segments', params: 'parts=4&x=y', addBinaryContent: true, base64: true },
      },
    ],
    ['index', '-nocrawldb a/segments/1', { type: 'INDEX', crawlId: 'a', batches: ['1'] }],
    ['clean', 'a/crawldb -noCommit', { type: 'CLEAN', crawlId: 'a', batches: [], args: { noCommit: true } }],
    ['webgraph', '-webgraphdb a/webgraphdb', { type: 'WEBGRAPH', crawlId: 'a', args: { webgraphdb: 'a/webgraphdb' } }],
    ['linkrank', '-crawlId k1', { type: 'LINKRANK', crawlId: 'k1', args: {}, notes: [] }],
    [
      'scoreupdater',
      '-crawldb a/crawldb -webgraphdb a/webgraphdb',
      { type: 'SCOREUPDATE', crawlId: 'a', args: { crawldb: 'a/crawldb', webgraphdb: 'a/webgraphdb' }, notes: [] },
    ],
    ['parse', 'x/1 -crawlId k1', { crawlId: 'k1', batches: ['1'] }],
    [
      'fetch',
      'x/1 -Dhttp.agent.name=a=b -Dfetcher.parse=true',
      { conf: { 'http.agent.name': 'a=b', 'fetcher.parse': 'true' } },
    ],
    ['fetch', '-D http.agent.name=a=b x/1', { conf: { 'http.agent.name': 'a=b' }, batches: ['1'] }],
    ['generate', 'crawldb segments -expr score>0.5', { args: { expr: 'score>0.5' } }],
  ])('translates %s %s', (command, words, wanted) => {
    expect(readNutchWords(command, words.split(' '))).toMatchObject(wanted);
  });

  it.each([
    [['crawl/crawldb'], ['crawl']],
    [['/data/k1/segments/17-3', '/data/k1/crawldb'], ['k1']],
    [['crawldb'], []],
    [
      ['', 'k2/segments', 'k3/linkdb'],
      ['k2', 'k3'],
    ],
    [[], []],
  ])('crawlsOfPaths(%j) returns %j', (paths, crawls) => expect(crawlsOfPaths(paths)).toEqual(crawls));

  it.each([
    ['generate', 'k1/crawldb k2/segments'],
    ['updatedb', 'k1/crawldb k2/segments/17'],
    ['invertlinks', 'k1/linkdb k1/segments/17 k2/segments/18'],
    ['mergesegs', 'k1/segments -dir k2/segments'],
    ['scoreupdater', '-webgraphdb k1/webgraphdb -crawldb k2/crawldb'],
  ])('%s refuses %s, paths of two crawls, unless -crawlId decides (N5)', (command, words) => {
    expect(() => readNutchWords(command, words.split(' '))).toThrow(
      `${command}: the paths name the crawls "k1" and "k2": name one, or add -crawlId`,
    );
    expect(readNutchWords(command, [...words.split(' '), '-crawlId', 'k3']).crawlId).toBe('k3');
  });

  it('does not read an option as the value of the one before it (N5)', () => {
    const paths = ['k1/crawldb', 'k1/segments'];
    expect(() => readNutchWords('generate', [...paths, '-topN', '-numFetchers', '2'])).toThrow('-topN takes a value');
    expect(readNutchWords('generate', [...paths, '-topN', '-1']).args).toEqual({ topN: '-1' });
    expect(readNutchWords('generate', [...paths, '-expr', '-score < 2']).args).toEqual({ expr: '-score < 2' });
  });

  it.each([['-D'], ['-D', 'name']])('refuses a property without a value (%s %s)', (...words) => {
    expect(() => readNutchWords('generate', ['crawldb', 'segments', ...words])).toThrow(/unknown option -D/);
  });

  it.each(['-constructor', '-toString', '-__proto__'])('refuses %s, a name of every object, as unknown', (word) => {
    expect(() => readNutchWords('inject', ['a/crawldb', 'b', word, 'x'])).toThrow(`unknown option ${word}`);
  });

  it('passes every property of -D on, whatever its name', () => {
    const { conf } = readNutchWords('inject', ['a/crawldb', 'b', '-D', '__proto__=x']);
    expect(Object.entries(conf)).toEqual([['__proto__', 'x']]);
  });

  it.each([
    ['k1 seeds', /^"k1" names no crawl/],
    ['crawldb seeds', undefined],
    ['k1/crawldb seeds', undefined],
    ['k1 seeds -crawlId k2', undefined],
  ])('inject %s reports a path that names no crawl', (words, sentence) => {
    const { notes } = readNutchWords('inject', words.split(' '));
    expect(notes).toEqual(sentence === undefined ? [] : [expect.stringMatching(sentence)]);
  });

  it('webgraph reports that segments change nothing, and refuses a call that names no store', () => {
    const { crawlId, args, notes } = readNutchWords('webgraph', [
      '-webgraphdb',
      'a/webgraphdb',
      '-segmentDir',
      'a/segments',
    ]);
    expect({ crawlId, args }).toEqual({ crawlId: 'a', args: { webgraphdb: 'a/webgraphdb' } });
    expect(notes).toEqual(['-segmentDir changes nothing: WEBGRAPH reads the links of all pages of the crawl']);
    expect(() => readNutchWords('webgraph', [])).toThrow(/takes -webgraphdb </);
    expect(readNutchWords('linkrank', ['-webgraphdb', 'ranks']).notes).toEqual([
      expect.stringMatching(/^"ranks" names no crawl/),
    ]);
  });

  it.each(Object.keys(NUTCH_COMMANDS))('%s refuses unknown options', (command) => {
    expect(() => readNutchWords(command, ['a/crawldb', 'b', '-noSuchThing'])).toThrow(
      /unknown option -noSuchThing; it takes [<-]/,
    );
  });
});
