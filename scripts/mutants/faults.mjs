/**
 * The list of faults. `text` occurs exactly once in `file`; with `replacement` instead, the program still loads, and has the fault
 * that `breaks` describes. At least one of `specs` has to fail then.
 *
 * @typedef {object} Fault
 * @property {string} id unique; small letters, digits and dashes
 * @property {string} file from the root of the project
 * @property {string} text
 * @property {string} replacement
 * @property {string} breaks one sentence
 * @property {string[]} specs files or folders: the fastest of those that have to detect it
 */
import { attempts } from './faults.attempts.mjs';
import { capped } from './faults.capped.mjs';
import { content } from './faults.content.mjs';
import { cycle } from './faults.cycle.mjs';
import { embedded } from './faults.embedded.mjs';
import { engines } from './faults.engines.mjs';
import { doors } from './faults.doors.mjs';
import { fetch } from './faults.fetch.mjs';
import { http } from './faults.http.mjs';
import { index } from './faults.index.mjs';
import { pace } from './faults.pace.mjs';
import { linkAnalysis } from './faults.link-analysis.mjs';
import { requests } from './faults.requests.mjs';
import { routes } from './faults.routes.mjs';
import { search } from './faults.search.mjs';
import { settings } from './faults.settings.mjs';
import { operators } from './faults.operators.mjs';
import { surroundings } from './faults.surroundings.mjs';
import { text } from './faults.text.mjs';
import { work } from './faults.work.mjs';

/** @type {readonly Fault[]} */
export const faults = [
  ...text,
  ...pace,
  ...fetch,
  ...cycle,
  ...work,
  ...doors,
  ...linkAnalysis,
  ...search,
  ...http,
  ...index,
  ...content,
  ...settings,
  ...engines,
  ...embedded,
  ...capped,
  ...attempts,
  ...requests,
  ...routes,
  ...operators,
  ...surroundings,
];
