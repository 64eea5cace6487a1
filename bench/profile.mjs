/**
 * Merges CPU profiles of several processes into one list, and lists PostgreSQL's statements by time.
 *
 *   node bench/profile.mjs FOLDER [pages]      the profiles of `npm run bench:crawl -- --profile FOLDER` again
 *
 * Self time is CPU time of the main thread's JavaScript and of native calls from it, without idle time. The time of libuv's
 * threads and V8's helpers (compression, concurrent garbage collection) is not in the profiles, but in CPU ms/page.
 */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { table } from './database.mjs';

const IDLE = new Set(['(idle)', '(program)', '(root)']);
const TOP = 40;

/** Stores the interval of the crawl (microseconds, monotonic), to exclude the start and stop of processes. */
export function saveWindow(folder, window) {
  writeFileSync(join(folder, 'window.json'), JSON.stringify(window));
}

/** Self microseconds by `function file:line` and by file, added to the sums given. */
function addProfile(path, [from, to], sums) {
  const { nodes, samples, timeDeltas, startTime } = JSON.parse(readFileSync(path, 'utf8'));
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]));
  let at = startTime;
  samples.forEach((id, index) => {
    at += timeDeltas[index];
    if (at < from || at > to) return;
    const { functionName, url, lineNumber } = frames.get(id);
    const name = functionName || '(anonymous)';
    const spent = Math.max(0, timeDeltas[index]);
    if (name === '(idle)') sums.rest.set(name, (sums.rest.get(name) ?? 0) + spent);
    if (IDLE.has(name)) return;
    const file = shortName(url);
    const where = url ? `${name} · ${file}:${lineNumber + 1}` : name;
    sums.functions.set(where, (sums.functions.get(where) ?? 0) + spent);
    sums.files.set(file || name, (sums.files.get(file || name) ?? 0) + spent);
    sums.all += spent;
  });
}

const shortName = (url) =>
  (url.startsWith('file:') ? relative(process.cwd(), fileURLToPath(url)) : url).replace(/^.*node_modules\//, '');

function listed(title, sums, all, pages) {
  const rows = [...sums]
    .sort((a, b) => b[1] - a[1])
    .slice(0, TOP)
    .map(([name, spent]) => [
      name,
      `${((100 * spent) / all).toFixed(1)} %`,
      ...(pages ? [(spent / pages).toFixed(1)] : []),
    ]);
  return table([title, 'share', ...(pages ? ['µs/page'] : [])], rows);
}

/** Markdown: the most expensive functions and files over all profiles of a folder; `pages` for microseconds per page. */
export function profileReport(folder, pages) {
  const sums = { functions: new Map(), files: new Map(), rest: new Map(), all: 0 };
  const profiles = readdirSync(folder).filter((name) => name.endsWith('.cpuprofile'));
  const saved = join(folder, 'window.json');
  const window = existsSync(saved) ? JSON.parse(readFileSync(saved, 'utf8')) : [0, Infinity];
  for (const name of profiles) addProfile(join(folder, name), window, sums);
  const program = (sums.rest.get('(program)') ?? 0) / 1000;
  return [
    `${profiles.length} profiles, ${(sums.all / 1e6).toFixed(1)} s of self time (and ${(program / 1000).toFixed(1)} s in V8 or libuv outside of calls)\n`,
    listed('function', sums.functions, sums.all, pages),
    '',
    listed('file', sums.files, sums.all, pages),
  ].join('\n');
}

/** Markdown: PostgreSQL's statements by total time, per fetched page. It is elapsed time, including waits for locks and disks. */
export async function statementReport(server, pages) {
  // Inserts of many rows differ only in their number of rows: one line for all with the same beginning.
  const { rows } = await server.asSuperuser((client) =>
    client.query(`with said as (select regexp_replace(query, '\\s+', ' ', 'g') as query, calls, rows, total_plan_time as plan_ms, total_exec_time as ms, wal_bytes
                                  from pg_stat_statements where query !~ 'pg_column_size|pg_relation_size|create extension')
                  select min(query) as query, sum(calls)::int as calls, sum(rows)::int as rows, sum(plan_ms)::float8 as plan_ms, sum(ms)::float8 as ms, sum(wal_bytes)::float8 as wal
                    from said group by left(query, 150) order by sum(plan_ms + ms) desc limit 40`),
  );
  const cells = ({ query, calls, rows: count, plan_ms: planMs, ms, wal }) => [
    ((planMs * 1000) / pages).toFixed(1),
    ((ms * 1000) / pages).toFixed(1),
    calls,
    count,
    Math.round(wal / pages),
    query.slice(0, 160).replaceAll('|', '\\|'),
  ];
  return table(
    ['planning µs/page', 'execution µs/page', 'calls', 'rows', 'WAL bytes/page', 'statement'],
    rows.map(cells),
  );
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  console.log(profileReport(process.argv[2], Number(process.argv[3] ?? 0) || undefined));
}
