/** A failure that one page has caused: the job's `msg` names the page. */
import { STORED_LENGTHS } from '../core/page/stored-lengths.js';
import { unreverseUrl } from '../core/url/row-key.js';
import { storableStart } from '../db/sql.js';
import { isTransient } from '../db/transient.js';
import { LeaseLost } from '../job/claim.js';
import { PluginError } from '../plugin/external-guard.js';
import { StepError } from './step.js';

/**
 * The URL stands beside the message: what a site writes into its URLs must not look like an error of the database
 * (`isTransient`).
 */
export class PageError extends Error {
  constructor(
    readonly url: string,
    cause: unknown,
  ) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** A plugin that makes no extension fails for its configuration, whichever page needs the extension first. */
const notOfPage = [StepError, LeaseLost, PluginError];

/** Does work on the page with this row key; an error that is due to the page names it. */
export function atPage<T>(key: string, work: () => T): T {
  const fail = (error: unknown): never => {
    throw notOfPage.some((kind) => error instanceof kind) || isTransient(error)
      ? error
      : new PageError(storableStart(unreverseUrl(key), STORED_LENGTHS.urlInMessage), error);
  };
  try {
    const result = work();
    return result instanceof Promise ? (result.catch(fail) as T) : result;
  } catch (error) {
    return fail(error);
  }
}
