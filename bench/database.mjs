/**
 * A real PostgreSQL for benchmarks (fsync on), on which this process runs the steps of the product.
 * DATABASE_URL selects another one; its tables are emptied.
 */
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { execSync } from 'node:child_process';
import { ConfStore } from '../dist/src/conf/conf.store.js';
import { readArgs } from '../dist/src/cycle/args.js';
import { entities } from '../dist/src/cycle/entities.js';
import { steps } from '../dist/src/cycle/steps.js';
import { migrate, openDataSource } from '../dist/src/db/data-source.js';
import { startEmbedded } from '../dist/src/db/embedded/embedded.js';
import { JobQueue } from '../dist/src/job/job-queue.js';
import { JobStore } from '../dist/src/job/job.store.js';
import { TaskStore } from '../dist/src/job/task.store.js';
import { ensureHistoryPartitions } from '../dist/src/webpage/fetch-history.store.js';
import { keepStatistics } from '../dist/src/webpage/planner-statistics.sql.js';
import { TaskRun } from '../dist/src/worker/task-run.js';

/** Polling interval for tasks, ms: polling more often takes CPU time beside the job. The end of a task is noticed at once. */
const ASKED_MS = 50;

/** Opens the database; `run(type, args, conf)` runs one job to its end and returns it with its seconds. */
export async function openBench() {
  const folder = mkdtempSync(join(tmpdir(), 'orbweaver-bench-'));
  // PostgreSQL does not run as root and needs access to it: otherwise its data would be left elsewhere.
  chmodSync(folder, 0o755);
  const server = process.env.DATABASE_URL ? undefined : await startEmbedded({ dataDir: folder });
  const url = process.env.DATABASE_URL ?? server.url;
  const dataSource = await openDataSource(url, { max: 6, entities });
  await migrate(dataSource);
  const pool = dataSource.pool;
  await ensureHistoryPartitions(pool);
  const queue = await JobQueue.open(pool, { maintain: false, onError: () => undefined });
  const jobs = new JobStore(pool, queue);
  const tasks = new TaskStore(pool, queue, jobs);
  const confs = new ConfStore(dataSource);
  const parts = { pool, jobs, tasks, queue, confs };
  return {
    url,
    pool,
    run: (type, args, conf) => runJob(parts, { type, args, conf, workers: Number(process.env.WORKERS ?? 2) }),
    async close() {
      await queue.close();
      await dataSource.destroy();
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function runJob(parts, { type, args = {}, conf = {}, workers = 2 }) {
  const { jobs, queue, confs } = parts;
  await confs.create('bench', { 'http.agent.name': 'bench', ...conf }, true);
  const { hash } = await confs.snapshot('bench');
  const job = await jobs.create({ type, crawlId: 'bench', confId: 'bench', confHash: hash, args });
  const began = performance.now();
  const running = new Set();
  for (;;) {
    const message = await queue.take();
    if (message) {
      const task = runTask(parts, { message, type, args, workers, conf: await confs.ofSnapshot(hash) });
      running.add(task);
      void task.then(() => running.delete(task));
    }
    const now = await jobs.find(job.id);
    if (now.endedAt) return { ...now, seconds: (performance.now() - began) / 1000 };
    await Promise.race([...running, new Promise((wake) => setTimeout(wake, ASKED_MS))]);
  }
}

async function runTask({ pool, jobs, tasks }, { message, type, args, workers, conf }) {
  const claim = await tasks.claim(message, 'bench');
  await keepStatistics(pool);
  const run = new TaskRun(
    { pool, jobs, tasks, job: await jobs.find(claim.job), claim, conf, workers, ownPorts: [], idle: () => undefined },
    await readArgs(steps[type].args, args),
  );
  try {
    await tasks.finish(claim, await new steps[type].job().run(run));
  } catch (error) {
    await tasks.fail(claim, error.stack);
  }
}

/** The machine and the commit, for the heading of every table. */
export function where() {
  const commit = execSync('git rev-parse --short HEAD 2>/dev/null || echo unknown').toString().trim();
  return `${cpus().length} cores, ${cpus()[0].model.trim()}, Node ${process.version}, commit ${commit}`;
}

/** A table as Markdown. */
export function table(head, rows) {
  const line = (cells) => `| ${cells.join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)];
