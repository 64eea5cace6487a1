import { fragment } from '../db/sql.js';

/** Rows of one kind, as GENERATE and FETCH keep sitemaps and pages apart; null: of both. */
export function ofKind(sitemap: boolean | null, mark = fragment`inject_mark`): ReturnType<typeof fragment> {
  if (sitemap === null) return fragment`true`;
  return sitemap ? fragment`${mark} = 's'` : fragment`${mark} is distinct from 's'`;
}
