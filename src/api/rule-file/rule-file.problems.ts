import { problem, shown } from '../problem.js';

export const ruleFileUnknown = problem(
  404,
  'RULE_FILE_UNKNOWN',
  'Unknown rule file',
  (name: string) => `There is no rule file ${shown(name)}; GET /v1/rule-files lists all rule files.`,
);
export const ruleFileSecret = problem(
  403,
  'RULE_FILE_SECRET',
  'Rule file is secret',
  (name: string) => `Rule file ${shown(name)} contains secrets, according to its name; its content is never returned.`,
);
export const ruleFileInvalid = problem(
  400,
  'RULE_FILE_INVALID',
  'Rule file not valid',
  (name: string, why: string) => `Rule file ${shown(name)} is refused: ${why}`,
);
export const ruleFileEmpty = problem(
  400,
  'RULE_FILE_EMPTY',
  'Rule file missing',
  () => 'The body must be the content of the file as text; it is empty.',
);
export const tooManyRuleFiles = problem(
  409,
  'TOO_MANY_RULE_FILES',
  'Too many rule files',
  (max: number) => `There are ${max} rule files already; delete one that is not needed.`,
);
