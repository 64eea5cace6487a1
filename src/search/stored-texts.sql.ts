import { hostKeyOf } from '../core/url/row-key.js';
import { rowList } from '../db/row-list.js';
import { type Sql, prepared, rows } from '../db/sql.js';

/** Returns the texts of pages by key, compressed; pages without a text are omitted. */
export const storedTexts = (db: Sql, crawl: number, keys: readonly string[]) =>
  rows<{ key: string; text: Buffer }>(prepared(db))`
    select p.key, p.text
      from ${rowList('k', keys, { host: ['text', hostKeyOf], key: ['text', (key) => key] })}
      join page_content p on p.crawl = ${crawl} and p.host = k.host and p.key = k.key
     where p.text is not null`;
