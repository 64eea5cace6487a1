/**
 * Mutation testing: inserts faults, one at a time, and runs the specs that have to detect them. It tests the tests.
 *
 *   npm run mutants                                    all faults of scripts/mutants/
 *   npm run mutants -- --only dedup-batch,robots-500   these
 *   npm run mutants -- --only job-                     those whose ids begin with this
 *   npm run mutants -- --file src/job                  those in files whose paths begin with this
 *   npm run mutants -- --list                          lists the faults, runs nothing
 *   npm run mutants -- --sound                         skips the first run of the specs, without a fault
 *
 * It works in a temporary copy of the tree with a link to node_modules; the checkout is only read. First all listed specs have to
 * pass without a fault. Then, for each fault, its file is changed and compiled into dist, the specs run up to the first failure,
 * and both files are restored. A fault `fell` if a spec failed or hung, and `survived` if all passed: then a test is missing, or
 * the fault has no visible effect and does not belong in the list. Faults in statements and defaults are treated like those in
 * code.
 *
 * A fault is an entry of a list in scripts/mutants/ (faults.mjs describes its members); test/house/mutants.spec.ts checks that its
 * text occurs once in its file. Exit code: 0 all fell, 1 some survived, 2 a spec fails without a fault.
 */
import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import ts from 'typescript';
import { conformanceFolder } from '../test/support/conformance.ts';
import { applied, chosen } from './mutants/apply.mjs';
import { faults } from './mutants/faults.mjs';

const ROOT = dirname(dirname(fileURLToPath(import.meta.url)));
/** Folders that are not copied. */
const LEFT_OUT = new Set(['.git', 'node_modules', 'data', 'coverage'].map((name) => join(ROOT, name)));
/** Milliseconds after which the specs of a fault count as hanging: long enough for specs that wait. */
const HANGS_MS = 240_000;

const { values } = parseArgs({
  options: {
    only: { type: 'string', default: '' },
    file: { type: 'string', default: '' },
    list: { type: 'boolean', default: false },
    sound: { type: 'boolean', default: false },
    help: { type: 'boolean', default: false },
  },
});

/** @returns {string} the root of a copy of the tree */
function copyOfTree() {
  const copy = mkdtempSync(join(tmpdir(), 'orbweaver-mutants-'));
  process.once('exit', () => {
    endRun('SIGKILL');
    rmSync(copy, { recursive: true, force: true, maxRetries: 20, retryDelay: 100 });
  });
  for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(2));
  cpSync(ROOT, copy, { recursive: true, preserveTimestamps: true, filter: (from) => !LEFT_OUT.has(from) });
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  return copy;
}

/** The built file of a source file: a run joins it with others (scripts/bundle-program.mjs); those of src/dashboard are copies. */
const builtPath = (file) =>
  file.endsWith('.ts') ? join('dist/compiled', file.replace(/ts$/, 'js')) : join('dist', file);

/** Compiles one file like the build, without type checks. Throws on a syntax error. */
function compiled(copy, file, source) {
  if (!file.endsWith('.ts')) return source;
  const { config } = ts.readConfigFile(join(copy, 'tsconfig.json'), (path) => readFileSync(path, 'utf8'));
  const { options } = ts.convertCompilerOptionsFromJson(config.compilerOptions, copy);
  const { outputText, diagnostics = [] } = ts.transpileModule(source, {
    fileName: join(copy, file),
    reportDiagnostics: true,
    compilerOptions: { ...options, module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler },
  });
  const [first] = diagnostics;
  if (first !== undefined) throw new Error(ts.flattenDiagnosticMessageText(first.messageText, '\n'));
  return outputText;
}

/** Changes a source file and its built file. @returns a function that restores both */
function plant(copy, fault) {
  const paths = [fault.file, builtPath(fault.file)].map((path) => join(copy, path));
  const before = paths.map((path) => readFileSync(path, 'utf8'));
  const source = applied(fault, before[0]);
  const after = [source, compiled(copy, fault.file, source)];
  const write = (texts) => {
    texts.forEach((text, i) => writeFileSync(paths[i], text));
    // Newer than any source; otherwise the run would build everything again (test/support/build.ts).
    const later = new Date(Date.now() + 60_000);
    utimesSync(join(copy, 'dist/.tsbuildinfo'), later, later);
  };
  write(after);
  return () => write(before);
}

/** Ends the current run of specs, with all processes that it has started. */
let endRun = () => undefined;

/** Runs specs up to the first failure. @returns {Promise<{ passed: boolean, first: string }>} */
async function runSpecs(copy, specs, more = []) {
  const report = join(copy, 'mutants-report.json');
  rmSync(report, { force: true });
  const args = [
    join(copy, 'node_modules/vitest/vitest.mjs'),
    'run',
    '--reporter=json',
    `--outputFile=${report}`,
    '--no-cache',
    ...more,
    ...specs,
  ];
  // The cases of other projects are beside the checkout, not beside its copy.
  const env = { ...process.env, ORBWEAVER_SHARED: dirname(conformanceFolder) };
  const child = spawn(process.execPath, args, { cwd: copy, env, stdio: ['ignore', 'ignore', 'pipe'], detached: true });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text) => (errors = (errors + text).slice(-4_000)));
  let hung = false;
  endRun = (signal) => {
    try {
      process.kill(-child.pid, signal);
    } catch {
      // It has ended already.
    }
  };
  const clock = setTimeout(() => {
    hung = true;
    endRun('SIGTERM');
    setTimeout(() => endRun('SIGKILL'), 10_000).unref();
  }, HANGS_MS);
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(clock);
  endRun = () => undefined;
  if (hung) return { passed: false, first: 'hung' };
  return { passed: code === 0, first: code === 0 ? '' : firstFailure(report, errors) };
}

/** The first test that failed, with its message: a time limit may say nothing about the fault. Or another error of the run. */
function firstFailure(report, errors) {
  try {
    const { testResults } = JSON.parse(readFileSync(report, 'utf8'));
    const tests = testResults.flatMap(({ assertionResults }) => assertionResults);
    const failed = tests.find(({ status }) => status === 'failed');
    if (failed !== undefined) return `${failed.fullName.trim()}: ${shown(failed.failureMessages[0] ?? '')}`;
    const file = testResults.find(({ status }) => status === 'failed');
    if (file !== undefined) return file.message.split('\n')[0];
  } catch {
    // No report: the run itself failed.
  }
  return errors.trim().split('\n').slice(-12).join('\n');
}

/** The first line of a failure. The stack of a time limit, of a test or a wait, names only how Vitest makes it. */
const shown = (stack) => stack.split('\n')[0].replace('Error: STACK_TRACE_ERROR', 'its time limit ended it');

async function run(list) {
  const copy = copyOfTree();
  const specs = [...new Set(list.flatMap((fault) => fault.specs))].sort();
  console.log(`${list.length} faults, ${specs.length} specs`);
  const sound = values.sound ? { passed: true } : await runSpecs(copy, specs);
  if (!sound.passed) {
    console.log(`fails without a fault: ${sound.first}`);
    return 2;
  }
  const survivors = [];
  for (const fault of list) {
    const restore = plant(copy, fault);
    const { passed, first } = await runSpecs(copy, fault.specs, ['--bail=1']);
    restore();
    console.log(passed ? `SURVIVED  ${fault.id}: ${fault.breaks}` : `fell      ${fault.id}  (${first})`);
    if (passed) survivors.push(fault.id);
  }
  console.log(
    `${list.length - survivors.length} of ${list.length} fell${survivors.length > 0 ? `; ${survivors}` : ''}`,
  );
  return survivors.length === 0 ? 0 : 1;
}

const list = chosen(faults, { only: values.only.split(',').filter((id) => id !== ''), file: values.file });
if (values.help)
  console.log(
    readFileSync(fileURLToPath(import.meta.url), 'utf8')
      .split('*/')[0]
      .replace('/**\n', ''),
  );
else if (list.length === 0) throw new Error('no fault is named so');
else if (values.list) for (const { id, file, breaks } of list) console.log(`${id}  ${file}\n    ${breaks}`);
else process.exit(await run(list));
