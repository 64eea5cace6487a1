/**
 * Problems of fields as examples for the document of the API. They are what the checks of requests throw, so that an example
 * has the sentence, the bounds and the `errors` of a real answer. An example that no check refuses stops the program.
 */
import { Problem } from '../problem.js';
import { admit } from '../request/admit.js';

/** The problem that a check throws. */
export function refusalBy(check: () => unknown): Problem {
  try {
    check();
  } catch (error) {
    if (error instanceof Problem) return error;
    throw error;
  }
  throw new Error(`Nothing is refused by ${String(check)}.`);
}

/** The problem of a body or a query that its DTO class refuses. */
export const refusalOf = (type: new () => object, input: object): Problem => refusalBy(() => admit(type, input));
