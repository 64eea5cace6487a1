/**
 * The list of faults. `text` stands exactly once in `file`; with `replacement` in its stead the program still loads, and
 * does what `breaks` says. At least one of `specs` has to fall then.
 *
 * @typedef {object} Fault
 * @property {string} id unique
 * @property {string} file from the root of the project
 * @property {string} text
 * @property {string} replacement
 * @property {string} breaks one sentence
 * @property {string[]} specs the fastest that have to notice
 */
import { core } from './faults.core.mjs';

/** @type {readonly Fault[]} */
export const faults = [...core];
