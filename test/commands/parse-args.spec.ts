import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import { onlyWhere } from '../support/left-out.js';
import { inherited } from '../support/environment.js';
import { runProgram } from '../support/server.js';

/** Arguments that the built program refuses: each is named, with what is accepted. No server is started. */

type Ended = { code: number | null; stdout: string; stderr: string };

let commands: ChildProcess;
beforeAll(() => {
  // The modules of the commands are loaded once for all tests.
  commands = fork(new URL('many-commands.mjs', import.meta.url), { env: inherited() });
});
afterAll(() => void commands.kill());

async function run(args: string[], env: Record<string, string> = {}): Promise<Ended> {
  commands.send({ args, env });
  const [ended] = await once(commands, 'message');
  return ended;
}

describe('invalid arguments of the command line', () => {
  it.each<[string[], string]>([
    [['crawle'], 'unknown command "crawle"; did you mean crawl? (orbweaver help lists them)'],
    [['crwal'], 'unknown command "crwal"; did you mean crawl? (orbweaver help lists them)'],
    [['readdb', 'k1/crawldb', '-stats'], 'unknown command "readdb"; instead: POST /db/crawldb with type stats,'],
    [['mergedb', 'out', 'k1/crawldb'], 'unknown command "mergedb"; instead: one crawl id, as all pages of a crawl are'],
    [['toString'], 'unknown command "toString"'],
    [['demo', 'once'], 'demo: "once" is no option'],
    [['serve', 'now'], 'serve takes no words; given: "now"'],
    [['crawl'], 'crawl: which URL?'],
    [
      ['crawl', 'nutch.apache.org'],
      'a seed must be a URL with http or https; given: "nutch.apache.org"; did you mean https://nutch.apache.org?',
    ],
    [['crawl', 'ftp://a.test/'], 'a seed must be a URL with http or https; given: "ftp://a.test/"'],
    [['crawl', 'http://a.test/', '--round', '2'], 'crawl: unknown option --round; did you mean --rounds?'],
    [['crawl', 'http://a.test/', '-x'], 'crawl: unknown option -x'],
    [['crawl', 'http://a.test/', '--rounds', 'two'], '--rounds takes a whole number from 1; given: "two"'],
    [['crawl', 'http://a.test/', '--rounds', '0'], '--rounds takes a whole number from 1; given: "0"'],
    [['crawl', 'http://a.test/', '--rounds'], "option '--rounds <value>' argument missing"],
    [['crawl', 'http://a.test/', '--quiet=yes'], "option '--quiet' does not take an argument"],
    [['crawl', 'http://a.test/', '--scope', 'web'], '--scope takes host, domain, any; given: "web"'],
    [['crawl', 'http://a.test/', '--conf', 'http.agent.name'], '--conf takes key=value; given: "http.agent.name"'],
    [['crawl', 'http://a.test/', '--server', 'here'], '--server must be a URL with http or https; given: "here"'],
    [['crawl', 'http://a.test/', '--server', 'http://127.0.0.1:1', '--data', 'x'], '--data is for a server of our own'],
    [['crawl', 'http://a.test/', '--out', '/nowhere/pages.jsonl'], 'cannot write --out /nowhere/pages.jsonl'],
    [['inspect'], 'inspect: which URL?'],
    [['crawl', 'http://a.test/', '--conf-id', 'c1', '--conf', 'a=b'], '--conf does not go with it'],
    [['crawl', 'http://a.test/', '--conf-id', 'c1', '--agent', 'bot'], '--agent does not go with it'],
    [['inspect', 'http://a.test/', '--conf-id', 'c1', '--conf', 'a=b'], '--conf does not go with it'],
    [['readseg', '-dump', 'k/segments/b1', 'out', 'more'], '"more" is one word too many; the dump goes to out'],
    [['export', '--server', 'http://127.0.0.1:1', '--data', 'x'], '--data is for a server of our own'],
    [['inspect', 'http://a.test/', 'http://b.test/'], 'one URL at a time; "http://b.test/" is one too many'],
    [['export', 'k1'], 'export: "k1" is no option; the crawl is --crawl-id'],
    [['demo', '--port', 'x'], '--port takes a whole number from 1 to 65535; given: "x"'],
    [['demo', '--port', '70000'], '--port takes a whole number from 1 to 65535; given: "70000"'],
    [['crawl', 'http://a.test/', '--workers', '5000'], '--workers takes a whole number from 1 to 64; given: "5000"'],
    [['inject', 'crawl/crawldb'], 'inject: takes <crawldb> <url_dir>'],
    [['generate', 'crawl/crawldb', 'crawl/segments', '-topn', '5'], 'generate: unknown option -topn'],
    [['generate', 'crawl/crawldb', 'crawl/segments', '-topN'], 'generate: -topN takes a value'],
    [['parse', 'a', '-server', 'here'], '--server must be a URL'],
    [['crawl', 'http://a.test/', '--data', ''], 'crawl: --data has an empty value'],
    [['export', '--out', ''], 'export: --out has an empty value'],
    [['export', '--host='], 'export: --host has an empty value'],
    [['readseg', '-dump', 'k/segments/b1', '-toString'], 'readseg: unknown option -toString'],
    [['readseg', '-dump', '-nofetch', 'k/segments/b1'], 'readseg: -dump takes a value'],
    [['inject', 'k/crawldb', '/dev/null'], 'inject: there is no seed in /dev/null'],
  ])('%j ends with code 2: %s', async (args, words) => {
    const { code, stderr, stdout } = await run(args);
    expect(stderr).toContain(words);
    expect(stderr.trim().split('\n')).toHaveLength(1);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  });

  it.each([
    [['crawl', 'http://a.test/'], 'ORBWEAVER_SERVER'],
    [['export'], 'ORBWEAVER_SERVER'],
    [['search', 'ferry'], 'ORBWEAVER_SERVER'],
  ])('%j without a reachable server ends with code 10', async (args, variable) => {
    const { code, stderr } = await run(args, { [variable]: 'http://127.0.0.1:1' });
    expect(stderr).toContain('no server at http://127.0.0.1:1 (ECONNREFUSED): start one with npm start');
    expect(code).toBe(10);
  });
});

it.each([
  [['check'], { DATA_DIR: '/nowhere/data' }],
  [['export', '--data', '/nowhere/data'], {}],
  [['search', 'ferry', '--data', '/nowhere/data'], {}],
  [['inspect', 'http://a.test/', '--data', '/nowhere/data'], {}],
])('%j of a data directory without a database ends with code 4', async (args, env) => {
  const { code, stderr } = await run(args, { DATABASE_URL: '', ...env });
  expect(stderr).toBe(`orbweaver: ${args[0]}: there is no database in /nowhere/data\n`);
  expect(code).toBe(4);
});

it('search without --server and --data searches on the server of PORT', async () => {
  const { code, stderr } = await run(['search', 'ferry'], { ORBWEAVER_SERVER: '', PORT: '1' });
  expect(stderr).toContain('no server at http://127.0.0.1:1 (ECONNREFUSED)');
  expect(code).toBe(10);
});

it(
  'a result that cannot be written ends with code 8',
  onlyWhere(existsSync('/dev/full'), 'needs /dev/full'),
  async () => {
    const program = fileURLToPath(new URL('../../dist/src/main.js', import.meta.url));
    const full = openSync('/dev/full', 'w');
    const child = spawn(process.execPath, [program, 'index-schema', 'csv'], {
      env: inherited(),
      stdio: ['ignore', full, 'pipe'],
    });
    closeSync(full);
    const [[code], stderr] = await Promise.all([once(child, 'close'), text(child.stderr!)]);
    expect(stderr).toMatch(/^orbweaver: cannot write stdout: ENOSPC/);
    expect(code).toBe(8);
  },
);

describe('help and version', () => {
  it.each([['help'], ['--help'], ['-h']])('%s lists every command', async (word) => {
    const { code, stdout } = await run([word]);
    expect(code).toBe(0);
    for (const command of ['serve', 'worker', 'migrate', 'crawl', 'inspect', 'export', 'demo', 'inject', 'dedup']) {
      expect(stdout).toContain(command);
    }
  });

  it.each([
    ['crawl', '--rounds N'],
    ['inspect', '--robots'],
    ['export', '--crawl-id ID'],
    ['demo', '--once'],
    ['check', '--repair'],
    ['migrate', '--distribute'],
    ['readseg', '-dump <segment> [<output>]'],
    ['generate', '<crawldb> <segments_dir>'],
  ])('of %s are printed by help and by its own --help', async (command, words) => {
    for (const args of [
      ['help', command],
      [command, '--help'],
    ]) {
      const { code, stdout } = await run(args);
      expect(stdout).toContain(`usage: orbweaver ${command}`);
      expect(stdout).toContain(words);
      expect(code).toBe(0);
    }
  });

  it.each<[string[], Ended]>([
    [['--version'], { code: 0, stdout: `${packageJson.version}\n`, stderr: '' }],
    [
      ['crawle'],
      {
        code: 2,
        stdout: '',
        stderr: 'orbweaver: unknown command "crawle"; did you mean crawl? (orbweaver help lists them)\n',
      },
    ],
  ])('%j in a separate process ends with %j', async (args, ended) => {
    const dataDir = mkdtempSync(join(tmpdir(), 'orbweaver-words-'));
    try {
      expect(await runProgram({ dataDir, args })).toMatchObject(ended);
    } finally {
      rmSync(dataDir, { recursive: true, force: true });
    }
  });

  it('--version prints a version of three numbers', async () => {
    expect((await run(['--version'])).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });
});
