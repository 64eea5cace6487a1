/** Keys of page metadata by which one step passes values to another. */

/** From FETCH to PARSE: the `X-Robots-Tag` headers, one a line. */
export const ROBOTS_TAG = 'X-Robots-Tag';

/** From FETCH to UPDATEDB: the signature that FETCH made (updatedb/fetch-signature.sql.ts). */
export const FETCH_SIGNATURE = '_sig_';

/** From PARSE to UPDATEDB: the number of links of a page, including those that rules left out (`db.score.count.filtered`). */
export const LINKS_KEY = '_links_';
