/** The message of a job whose task failed: its step, the part if there are several, the page if one is to blame, and the cause. */
import { PageError } from '../cycle/page-error.js';
import type { JobRow } from '../job/job-row.js';

export function failureText({ type, plan }: Pick<JobRow, 'type' | 'plan'>, part: number, error: unknown): string {
  const several = part > 0 || Number(plan?.['parts'] ?? 1) > 1;
  const where = `${type}${several ? ` part ${part}` : ''}${error instanceof PageError ? ` at ${error.url}` : ''}`;
  return `ERROR: ${where}: ${error instanceof Error ? error.message : String(error)}`;
}
