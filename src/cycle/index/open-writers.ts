/** Opens the writers of a job: the built-in one and those of plugins, each with its folder. */
import { join } from 'node:path';
import type { Conf } from '../../core/conf/properties.js';
import { parametersIn } from '../../core/indexing/plugin-parameters.js';
import { exchangedWriters, makeRoute } from '../../plugin/exchanges.js';
import { type ChosenWriter, chosenWriters, ignoredWriters, writersWithoutEntry } from '../../plugin/index-writers.js';
import { OF_CRAWL, PostgresIndexWriter } from '../../search/postgres-index-writer.js';
import { JobReport } from '../job-report.js';
import { type Run, StepError } from '../step.js';
import { IndexWriters, type OpenWriter } from './index-writers.js';

/** Writers that a warning names. */
const MAX_NAMED = 5;

/** What a job stores about its writers, for a later attempt. */
export interface WriterProgress extends Record<string, unknown> {
  /** The positions at which writers of files continue. */
  positions: Record<string, readonly number[]>;
  /** Writers that were given up, with the reason. */
  givenUp: Record<string, string>;
}

/** The arguments of a job that concern its writers. */
interface WriterArgs {
  noCommit?: boolean;
  /** Parameters over those of every writer. */
  params?: string;
  /** The pages that a CRAWL has recorded: the job may run beside its FETCH. */
  ofCrawl?: string;
}

export const NO_WRITER_PROGRESS: WriterProgress = { positions: {}, givenUp: {} };

export const writerProgress = (writers: IndexWriters): WriterProgress => ({
  positions: writers.positions(),
  givenUp: Object.fromEntries(writers.givenUp),
});

function whyNone(conf: Conf): string {
  const waiting = writersWithoutEntry(conf).slice(0, MAX_NAMED);
  if (waiting.length > 0) return `${waiting.join(', ')}: without an entry in indexer.indexwriters.rules.`;
  const named = ignoredWriters(conf).slice(0, MAX_NAMED);
  const why = named.length === 0 ? '' : `${named.join(', ')}: no active plugin has this class or id. `;
  return `${why}plugin.includes.also switches one on.`;
}

/**
 * Runs work with the writers of a configuration open, commits unless it was stopped (`work` returns false) or `noCommit` is
 * set, and closes them. `msg` has the line that the work shows, and the writers that fail. A writer that was given up makes
 * the job fail at its end, when all others have everything.
 * @returns whether it finished
 */
export async function withWriters(
  run: Run<WriterArgs>,
  begun: WriterProgress,
  signal: AbortSignal,
  work: (writers: IndexWriters, show: (line: () => string | null) => void) => Promise<boolean>,
): Promise<boolean> {
  const chosen = chosenWriters(run.conf);
  if (chosen.length === 0) {
    await run.warn(`No index writer is active: nothing is written. ${whyNone(run.conf)}`);
    return true;
  }
  const missing = exchangedWriters(run.conf).filter((name) => !chosen.some(({ id }) => id === name));
  if (missing.length > 0 && run.part === 0)
    await run.warn(
      `Exchanges route documents to ${missing.join(', ')}, but no active index writer has such an id: documents that go nowhere else are not written.`,
    );
  const limits = {
    retries: run.conf['indexer.write.retries'],
    timeoutMs: run.conf['indexer.write.timeout'] * 1_000,
    signal,
    route: makeRoute(run.conf),
  };
  const opened = openWriters(run, chosen, begun.positions);
  const writers = new IndexWriters(opened, limits, new Map(Object.entries(begun.givenUp)));
  let line = (): string | null => null;
  const report = new JobReport(run, { line: linesOf(() => line(), writers), wait: () => null });
  try {
    if (!(await work(writers, (shown) => (line = shown)))) return false;
    if (run.args.noCommit !== true) await writers.commit();
  } finally {
    await report.end().finally(() => writers.close());
  }
  const [lost] = writers.givenUp;
  if (lost) throw new StepError(`index writer ${lost[0]} was given up: ${lost[1]}`, 'INDEX_WRITER');
  return true;
}

/** A line, and the writers that fail; where nothing is left to say after them, that they do not any more. */
function linesOf(line: () => string | null, writers: IndexWriters): () => string | null {
  let hadTrouble = false;
  return () => {
    const { trouble } = writers;
    hadTrouble ||= trouble !== null;
    const lines = [line(), trouble].filter((text) => text !== null);
    return lines.length > 0 ? lines.join('; ') : hadTrouble ? 'the index writers answer again' : null;
  };
}

/** @throws StepError if the parameters of a writer cannot be used */
function openWriters(
  run: Run<WriterArgs>,
  chosen: readonly ChosenWriter[],
  positions: WriterProgress['positions'],
): OpenWriter[] {
  const { id: job, crawlId, crawl } = run.job;
  const languages = {
    ways: run.conf['lang.extraction.policy'].split(','),
    maxLength: run.conf['lang.analyze.max.length'],
  };
  const size = run.args.ofCrawl ? OF_CRAWL : undefined;
  const over = parametersIn(run.args.params ?? '');
  const openBuiltIn = () => new PostgresIndexWriter(run.pool, crawl, size, { languages, pause: () => run.pause() });
  return chosen.map(({ id, mapping, open }) => {
    // Clients choose the names of crawls and jobs: characters of paths are encoded.
    const names = [crawlId, id, job].map((name) => encodeURIComponent(name).replaceAll('.', '%2E'));
    const folder = run.indexDir === undefined ? null : join(run.indexDir, ...names);
    try {
      const position = positions[id] ?? null;
      const context = { crawlId, job, part: run.part, ownPorts: run.ownPorts, openBuiltIn, folder, position };
      return { id, mapping, writer: open(context, over) };
    } catch (error) {
      throw new StepError(`index writer ${id}: ${(error as Error).message}`, 'INDEX_WRITER');
    }
  });
}
