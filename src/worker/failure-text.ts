/** What a job whose task failed says of it. */
import type { FailureCode } from '../core/job/failure-codes.js';
import { PageError } from '../cycle/page-error.js';
import { StepError } from '../cycle/step.js';
import type { JobRow } from '../job/job-row.js';
import { errorMessage } from '../core/error-message.js';

/** The message: the step, the partition if there are several, the page if one is to blame, and the cause. */
export function failureText({ type, plan }: Pick<JobRow, 'type' | 'plan'>, part: number, error: unknown): string {
  const several = part > 0 || Number(plan?.['parts'] ?? 1) > 1;
  const where = `${type}${several ? ` partition ${part}` : ''}${error instanceof PageError ? ` at ${error.url}` : ''}`;
  return `ERROR: ${where}: ${errorMessage(error)}`;
}

/** The code of a failure that the user can act on. */
export const failureCode = (error: unknown): { failure?: FailureCode } =>
  error instanceof StepError ? { failure: error.failure } : {};
