/**
 * What a run of tests leaves goes with it, however it ends. All that specs put into TMPDIR is in one folder of the run,
 * named by the process that runs them; the programs that they start know it by that variable. A guard, a process of its
 * own, waits for the end of the run, ends what is still there and removes the folder. A run whose guard was killed too is
 * cleaned up by the next one.
 *
 *   node run-folder.mjs <folder>      the guard: waits for the end of its standard input
 */
import { spawn } from 'node:child_process';
import { chmodSync, mkdirSync, readFileSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const FILE = fileURLToPath(import.meta.url);
const NAME = /^orbweaver-run-(\d+)-(\d+)$/;
/** Where a PostgreSQL run by root keeps data of a folder that is closed to its user (src/db/embedded/location.ts). */
const OWN_PLACES = '/var/lib/orbweaver';

/** What a file of /proc says, or a link leads to; empty where there is none. */
const textOf = (path, read = (from) => readFileSync(from, 'utf8')) => {
  try {
    return read(path);
  } catch {
    return '';
  }
};
const names = (folder) => {
  try {
    return readdirSync(folder);
  } catch {
    return [];
  }
};

/** When a process began, in ticks since the machine did: its id may be another's by now. Empty where it has ended. */
const beginOf = (pid) => {
  const stat = textOf(`/proc/${pid}/stat`);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return 'ZX'.includes(fields[0] || 'X') ? '' : fields[19];
};

/** Removes what other runs have left in `parent`, and makes a folder there for this one, with its guard. */
export async function openRun(parent) {
  const left = names(parent).filter((name) => {
    const [, pid, begin] = NAME.exec(name) ?? [];
    return pid !== undefined && !isRunning(pid, begin);
  });
  // Another user's cannot be removed.
  await Promise.allSettled(left.map((name) => removeRun(join(parent, name))));
  const folder = join(parent, `orbweaver-run-${process.pid}-${beginOf(process.pid) || Date.now()}`);
  mkdirSync(folder, { recursive: true });
  // Whatever the umask: a PostgreSQL of another user must be able to enter it.
  chmodSync(folder, 0o755);
  const guard = spawn(process.execPath, [FILE, folder], { detached: true, stdio: ['pipe', 'ignore', 'ignore'] });
  guard.unref();
  guard.stdin.unref();
  return folder;
}

/** Where there is no /proc a number that is in use is taken for the run. */
function isRunning(pid, begin) {
  if (names('/proc').length > 0) return beginOf(pid) === begin;
  try {
    return process.kill(Number(pid), 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Programs that were started with the folder as TMPDIR, and PostgreSQL with its data below it. */
function processesOf(folder, places) {
  const within = (path) => [folder, ...places].some((top) => path === top || path.startsWith(`${top}/`));
  const servers = [];
  const programs = [];
  for (const name of names('/proc').filter((entry) => /^\d+$/.test(entry) && Number(entry) !== process.pid)) {
    if (beginOf(name) === '') continue;
    if (within(textOf(`/proc/${name}/cwd`, readlinkSync))) servers.push(Number(name));
    else if (within(/(?:^|\0)TMPDIR=([^\0]*)/.exec(textOf(`/proc/${name}/environ`))?.[1] ?? ''))
      programs.push(Number(name));
  }
  return { servers, programs };
}

/** The data in `OWN_PLACES` of folders of the run. */
const placesOf = (folder) =>
  names(OWN_PLACES)
    .map((name) => join(OWN_PLACES, name))
    .filter((place) => textOf(join(place, 'data-dir.json')).includes(`"dataDir":"${folder}/`));

const signal = (pids, name) => {
  for (const pid of pids) {
    try {
      process.kill(pid, name);
    } catch {
      // It has ended.
    }
  }
};

/** Ends the processes of a run and removes its folders. */
export async function removeRun(folder) {
  const places = placesOf(folder);
  // PostgreSQL gives its shared memory back where it may end by itself, which it does when its program has ended.
  for (let round = 0; ; round += 1) {
    const { servers, programs } = processesOf(folder, places);
    if (servers.length + programs.length === 0) break;
    signal(programs, 'SIGKILL');
    if (round >= 10) signal(servers, round < 100 ? 'SIGQUIT' : 'SIGKILL');
    if (round >= 200) break;
    await new Promise((wake) => setTimeout(wake, 100));
  }
  for (const path of [folder, ...places]) rmSync(path, { recursive: true, force: true, maxRetries: 5 });
}

if (process.argv[1] === FILE) {
  const [folder = ''] = process.argv.slice(2);
  // Ctrl-C is for the run.
  for (const name of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(name, () => undefined);
  process.stdin.resume().on('close', () => void removeRun(folder));
}
