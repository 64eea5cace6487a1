/** The writers of a job, opened: those of plugins, each with its folder. */
import { join } from 'node:path';
import type { ChosenWriter } from '../../plugin/index-writers.js';
import { type Run, StepError } from '../step.js';
import type { OpenWriter } from './deliveries.js';

/** @throws StepError where the parameters of a writer cannot be used */
export function openWriters(
  run: Run,
  chosen: readonly ChosenWriter[],
  positions: Readonly<Record<string, readonly number[]>>,
): OpenWriter[] {
  const { id: job, crawlId } = run.job;
  return chosen.map(({ id, mapping, open }) => {
    // Names of crawls and jobs are given by clients: what could be a path is written otherwise.
    const names = [crawlId, id, job].map((name) => encodeURIComponent(name).replaceAll('.', '%2E'));
    const folder = run.indexDir === undefined ? null : join(run.indexDir, ...names);
    try {
      return { id, mapping, writer: open({ crawlId, job, part: run.part, folder, position: positions[id] ?? null }) };
    } catch (error) {
      throw new StepError(`index writer ${id}: ${(error as Error).message}`, 'INDEX_WRITER');
    }
  });
}
