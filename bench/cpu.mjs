/** CPU seconds and memory of process trees, from /proc: the cost of a run, independent of other load on the machine. */
import { readFileSync, readdirSync } from 'node:fs';
import { cpus } from 'node:os';

const TICKS = 100;

function stats() {
  const all = [];
  for (const pid of readdirSync('/proc')) {
    if (!/^\d+$/.test(pid)) continue;
    try {
      const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
      const ticks = fields.slice(11, 15).map(Number);
      all.push({
        pid: Number(pid),
        parent: Number(fields[1]),
        name: text.slice(text.indexOf('(') + 1, text.lastIndexOf(')')),
        // Ended children are included in the sums of their parent.
        seconds: (ticks[0] + ticks[1] + ticks[2] + ticks[3]) / TICKS,
        rssMb: (Number(fields[21]) * 4096) / 2 ** 20,
      });
    } catch {
      // The process ended meanwhile.
    }
  }
  return all;
}

/** Processes of the tree below `root`, including `root`. */
export function tree(root) {
  const all = stats();
  const inTree = new Set([root]);
  for (let grown = true; grown;) {
    grown = false;
    for (const { pid, parent } of all) if (inTree.has(parent) && !inTree.has(pid)) grown = !!inTree.add(pid);
  }
  return all.filter(({ pid }) => inTree.has(pid));
}

const isPostgres = ({ name }) => name === 'postgres';
const sum = (numbers) => numbers.reduce((a, b) => a + b, 0);

/** CPU seconds of a tree so far, separately for PostgreSQL and the rest; resident megabytes of the rest. */
export function usage(root) {
  const all = tree(root);
  return {
    postgres: sum(all.filter(isPostgres).map((p) => p.seconds)),
    node: sum(all.filter((p) => !isPostgres(p)).map((p) => p.seconds)),
    nodeMb: sum(all.filter((p) => !isPostgres(p)).map((p) => p.rssMb)),
  };
}

/** CPU milliseconds of a process so far, with a resolution of a nanosecond; undefined: it has ended. */
function onCore(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** CPU time of PostgreSQL's processes below `root` from now on, with a finer resolution than the ticks of `usage`. */
export function backends(root) {
  const before = new Map(postgresBelow(root).map((pid) => [pid, onCore(pid)]));
  return {
    milliseconds: () => sum([...before].map(([pid, from]) => Math.max(0, (onCore(pid) ?? 0) - (from ?? 0)))),
  };
}

let known = { until: 0, pids: [] };

/** Searched for once a second, as that takes more time than the measurement. */
function postgresBelow(root) {
  const now = performance.now();
  if (now > known.until)
    known = {
      until: now + 1000,
      pids: tree(root)
        .filter(isPostgres)
        .map(({ pid }) => pid),
    };
  return known.pids;
}

/** A number of kB in a file of /proc, as megabytes; 0 if the process has ended. */
function megabytesIn(pid, file, field) {
  try {
    return (
      Number(new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(readFileSync(`/proc/${pid}/${file}`, 'utf8'))?.[1] ?? 0) /
      1024
    );
  } catch {
    return 0;
  }
}

/** CPU seconds of the whole machine so far, including guests and interrupts. */
function machineSeconds() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

/** Short name of a process: the file of its program. */
function titleOf(pid) {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return (words.find((word) => /\.(m?js|py)$/.test(word)) ?? words[0]).replace(/^.*\//, '');
  } catch {
    return 'ended';
  }
}

/**
 * Watches the memory of a tree without its PostgreSQL. `stop()` returns megabytes: `pssMb` the maximum of the sum of proportional
 * set sizes (a shared page counts once), sampled every half second; `peaksMb` the sum of the peaks of all processes (VmHWM),
 * which does not depend on sampling, but adds shared pages and peaks of different times; `each` those peaks by process, as
 * text.
 */
function watchMemory(root) {
  const peaks = new Map();
  let pssMb = 0;
  const sample = () => {
    const ours = tree(root).filter((p) => !isPostgres(p));
    for (const { pid } of ours) {
      const peak = peaks.get(pid) ?? { title: titleOf(pid), mb: 0 };
      peaks.set(pid, { ...peak, mb: Math.max(peak.mb, megabytesIn(pid, 'status', 'VmHWM')) });
    }
    pssMb = Math.max(pssMb, sum(ours.map(({ pid }) => megabytesIn(pid, 'smaps_rollup', 'Pss'))));
  };
  const timer = setInterval(sample, 500);
  return {
    stop() {
      clearInterval(timer);
      sample();
      const all = [...peaks.values()];
      return {
        pssMb,
        peaksMb: sum(all.map(({ mb }) => mb)),
        each: all.map(({ title, mb }) => `${title} ${mb.toFixed(0)}`).join(', '),
      };
    },
  };
}

/**
 * Measures a tree from now until `stop()`: `seconds`; CPU seconds `node`, `postgres` and, of the web server with process id
 * `webPid`, `web`; the shares of the machine that all these (`busy`) and all others (`others`) used; the results of
 * `watchMemory`, which takes CPU time itself.
 */
export function startMeter(root, webPid, memory = watchMemory(root)) {
  const read = () => ({
    ...usage(root),
    web: webPid === undefined ? 0 : usage(webPid).node,
    machine: machineSeconds(),
    at: performance.now(),
  });
  const before = read();
  return {
    stop() {
      const after = read();
      const spent = (what) => after[what] - before[what];
      const seconds = spent('at') / 1000;
      const [node, postgres, web] = ['node', 'postgres', 'web'].map(spent);
      const busy = node + postgres + web;
      const all = seconds * cpus().length;
      return {
        seconds,
        node,
        postgres,
        web,
        busy: busy / all,
        others: (spent('machine') - busy) / all,
        ...memory.stop(),
      };
    },
  };
}
