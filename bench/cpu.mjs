/** CPU seconds and memory of process trees, from /proc: what a run costs, whatever else the machine is doing. */
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
        // Children that ended are in their parent's sums.
        seconds: (ticks[0] + ticks[1] + ticks[2] + ticks[3]) / TICKS,
        rssMb: (Number(fields[21]) * 4096) / 2 ** 20,
      });
    } catch {
      // The process ended while we were reading.
    }
  }
  return all;
}

/** Processes of the tree below `root`, `root` included. */
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

/** CPU seconds so far of a tree, apart for PostgreSQL and the rest; resident megabytes of the rest. */
export function usage(root) {
  const all = tree(root);
  return {
    postgres: sum(all.filter(isPostgres).map((p) => p.seconds)),
    node: sum(all.filter((p) => !isPostgres(p)).map((p) => p.seconds)),
    nodeMb: sum(all.filter((p) => !isPostgres(p)).map((p) => p.rssMb)),
  };
}

/** Milliseconds on a core of a process so far, to the nanosecond; undefined: it has ended. */
function onCore(pid) {
  try {
    return Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
  } catch {
    return undefined;
  }
}

/** What PostgreSQL's processes below `root` work from now on, for what takes less than the ticks of `usage`. */
export function backends(root) {
  const before = new Map(postgresBelow(root).map((pid) => [pid, onCore(pid)]));
  return {
    milliseconds: () => sum([...before].map(([pid, from]) => Math.max(0, (onCore(pid) ?? 0) - (from ?? 0)))),
  };
}

let known = { until: 0, pids: [] };

/** Looked for once a second, as that costs more than what is measured. */
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

/** A number of kB in a file of /proc, as megabytes; 0 when the process is gone. */
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

/** CPU seconds that the whole machine has worked so far, guests and interrupts included. */
function machineSeconds() {
  const [user, nice, system, , , irq, softirq, steal] = readFileSync('/proc/stat', 'utf8')
    .split('\n', 1)[0]
    .split(/\s+/)
    .slice(1)
    .map(Number);
  return (user + nice + system + irq + softirq + steal) / TICKS;
}

/** What a process is: its program's file, short. */
function titleOf(pid) {
  try {
    const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
    return (words.find((word) => /\.(m?js|py)$/.test(word)) ?? words[0]).replace(/^.*\//, '');
  } catch {
    return 'ended';
  }
}

/**
 * Watches the memory of a tree without its PostgreSQL. `stop()` answers megabytes: `pssMb` the greatest sum seen of proportional set
 * sizes (a page that several processes share counts once), sampled every half second; `peaksMb` the sum of each process' own
 * greatest resident set (VmHWM), which no sampling can miss, and which counts shared pages and peaks of different moments together;
 * `each` those peaks by process, as text.
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
 * `webPid`, `web`; the shares of the machine that all these (`busy`) and all others (`others`) used; what `watchMemory` tells,
 * which costs CPU itself.
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
