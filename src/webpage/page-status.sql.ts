/** The statuses of pages in statements, as literals, so that partial indexes such as `webpage_signature` can be used. */
import { PAGE_STATUS } from '../core/page/page-status.js';
import { numberLiteral, numberLiterals } from '../db/sql.js';

const { fetched, notModified, gone, redirTemp, redirPerm, duplicate, orphan, parseFailed } = PAGE_STATUS;

/** One status: `status = ${statusOf('gone')}`. */
export const statusOf = (name: keyof typeof PAGE_STATUS) => numberLiteral(PAGE_STATUS[name]);

/** Lists of statuses: `status in ${FETCHED}`. */
export const FETCHED = numberLiterals([fetched, notModified]);
export const REDIRECTED = numberLiterals([redirTemp, redirPerm]);
/** Pages whose contents DEDUP compares, as in index `webpage_signature`. */
export const COMPARED = numberLiterals([fetched, notModified, duplicate]);
/** Pages whose documents CLEAN deletes, as in index `webpage_leaver`. */
export const REMOVED_STATUSES: readonly number[] = [gone, redirTemp, redirPerm, duplicate, orphan, parseFailed];
export const REMOVED = numberLiterals(REMOVED_STATUSES);
