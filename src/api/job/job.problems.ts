/** Problems of the creation of jobs. */
import { type Problem, ofField, problem, shown } from '../problem.js';

export const jobConfigMissing = problem(
  400,
  'JOB_CONFIG_MISSING',
  'Job configuration missing',
  () => 'Job configuration is required!',
);
export const jobArgsMissing = problem(
  400,
  'JOB_ARGS_MISSING',
  'Job args missing',
  () => 'args is required: an object, {} if there are none.',
);
const unknownType = problem(
  400,
  'JOB_TYPE_UNKNOWN',
  'Unknown job type',
  (given: unknown, allowed: string) => `type must be one of ${allowed}; given: ${shown(given)}.`,
);
export const jobTypeUnknown = (given: unknown, allowed: string): Problem =>
  ofField('type', unknownType(given, allowed));
