/**
 * Seed lists: named lists of seed lines (URL, then TAB key=value pairs).
 *
 * Nutch keeps them as folders of files and takes their paths in requests. Here a list is stored in `seed_list` and
 * `seed_url`, and the path in a request is only a name: its last segment that is not one of the file names
 * under which Nutch stores seeds. So no path of a request ever reaches the file system.
 */
import type { Pool } from 'pg';
import { MoreThanOrEqual, type Repository } from 'typeorm';
import { ID_SHAPE } from '../core/id-shape.js';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { type Sql, fragment, row, rows, sql, storable, transaction } from '../db/sql.js';
import { SeedListEntity } from './seed-list.entity.js';
import { SeedUrlEntity } from './seed-url.entity.js';

export const SEED_FOLDER = 'seedFiles';
const LINES_PER_STATEMENT = 5_000;
const SEED_FILE = /^(?:urls|seed\d*\.txt|seeds?\.txt)$/;

export interface StoredSeedLine {
  id: number | null;
  /** One seed line: URL TAB key=value … */
  line: string;
}

export interface SeedList {
  name: string;
  /** The number that the client gave to the list, or null. */
  id: number | null;
  createdAt: Date;
  total: number;
}

/** The folder under which a list is shown to clients that expect paths. */
export const pathOf = (name: string): string => `${SEED_FOLDER}/${name}`;

/** The list names that a path of a request may mean, likeliest first; empty if it can mean none. */
export function listNamesOf(path: string): string[] {
  if (path.length > 1_024) return [];
  const segments = path.split(/[/\\]+/).filter((segment) => segment !== '');
  const last = segments.at(-1);
  const folder = segments.at(-2);
  const names = last !== undefined && SEED_FILE.test(last) && folder !== undefined ? [last, folder] : [last];
  return names.filter((name) => name !== undefined && ID_SHAPE.test(name)) as string[];
}

/** The number of lines of a list, without counting them: their positions have no gaps. */
const total = fragment`coalesce((select max(position) + 1 from seed_url where list = seed_list.name), 0)`;

/** Consecutive lines of a list, and the identity of the list. */
export interface SeedChunk {
  lines: string[];
  /** When the list was stored, in microseconds: another time means another list of that name. */
  savedAt: number;
}

/** At most `limit` lines from position `from` (0 is the first); undefined if there is no such list. */
export async function seedChunk(db: Sql, name: string, from: number, limit: number): Promise<SeedChunk | undefined> {
  // One statement, so that the lines belong to the list whose time it returns.
  const chunk = await rows<{ savedAt: number; line: string | null }>(db)`
    select (extract(epoch from created_at) * 1000000)::float8 as "savedAt", line
      from seed_list
      left join lateral (select position, line from seed_url
                          where list = seed_list.name and position >= ${from}
                          order by position limit ${limit}) as seeds on true
     where name = ${name} order by position`;
  const savedAt = chunk[0]?.savedAt;
  return savedAt === undefined ? undefined : { savedAt, lines: chunk.flatMap(({ line }) => line ?? []) };
}

export class SeedListStore {
  private readonly pool: Pool;
  private readonly lists: Repository<SeedListEntity>;
  private readonly urls: Repository<SeedUrlEntity>;

  constructor(dataSource: PooledDataSource) {
    this.pool = dataSource.pool;
    this.lists = dataSource.getRepository(SeedListEntity);
    this.urls = dataSource.getRepository(SeedUrlEntity);
  }

  /**
   * Stores a list; one of the same name is replaced.
   * @param list.inline stored for the inline seeds of a job: deleted with the last job that names it
   */
  save(list: { name: string; id: number | null; inline?: boolean }, lines: readonly StoredSeedLine[]): Promise<void> {
    return transaction(this.pool, async (tx) => {
      // The row is locked first, so of two concurrent lists of one name the later one stays complete.
      await tx.query(sql`
        insert into seed_list (name, id, inline) values (${list.name}, ${list.id}, ${list.inline ?? false})
        on conflict (name) do update set id = excluded.id, inline = excluded.inline, created_at = now()`);
      await tx.query(sql`delete from seed_url where list = ${list.name}`);
      for (let from = 0; from < lines.length; from += LINES_PER_STATEMENT) {
        await insertLines(tx, list.name, from, lines.slice(from, from + LINES_PER_STATEMENT));
      }
    });
  }

  /** The name of the stored list that a path of a request means, or undefined. */
  async resolve(path: string): Promise<string | undefined> {
    for (const name of listNamesOf(path)) if (await this.find(name)) return name;
    return undefined;
  }

  /** A list without its lines, or undefined. */
  async find(name: string): Promise<SeedList | undefined> {
    if (!ID_SHAPE.test(name)) return undefined;
    return row<SeedList>(this.pool)`
      select name, id::float8 as id, created_at as "createdAt", ${total} as total
        from seed_list where name = ${name}`;
  }

  /**
   * Lists by name, after `after`, at most `limit`, each with its first lines: as many as both bounds allow. One statement: a
   * thousand would wait for a connection a thousand times.
   */
  list(
    after: string,
    limit: number,
    shown: { lines: number; characters: number },
  ): Promise<(SeedList & { lines: StoredSeedLine[] })[]> {
    return rows<SeedList & { lines: StoredSeedLine[] }>(this.pool)`
      select name, id::float8 as id, created_at as "createdAt", ${total} as total,
             (select coalesce(json_agg(json_build_object('id', id, 'line', line) order by position), '[]')
                from (select position, id, line, sum(length(line)) over (order by position) as characters
                        from seed_url where list = seed_list.name and position < ${shown.lines}) as first
               where characters <= ${shown.characters}) as lines
        from seed_list where name > ${after} order by name limit ${limit}`;
  }

  /**
   * Lines of a list in their order with the numbers that the client gave them, from position `from` (0 is the first), at most
   * `limit`.
   */
  entries(name: string, from: number, limit: number): Promise<StoredSeedLine[]> {
    return this.urls.find({
      select: { id: true, line: true },
      where: { list: name, position: MoreThanOrEqual(from) },
      order: { position: 'ASC' },
      take: limit,
    });
  }

  /** Deletes a list; false if there is none. */
  async remove(name: string): Promise<boolean> {
    if (!ID_SHAPE.test(name)) return false;
    return (await this.lists.delete({ name })).affected === 1;
  }
}

/** Appends lines to a list, numbered from `from`. */
async function insertLines(tx: Sql, list: string, from: number, lines: readonly StoredSeedLine[]): Promise<void> {
  const ids = lines.map((line) => line.id);
  const texts = lines.map((line) => storable(line.line));
  await tx.query(sql`
    insert into seed_url (list, position, id, line)
    select ${list}, ${from}::int + (ordinal - 1)::int, id, line
      from unnest(${ids}::bigint[], ${texts}::text[]) with ordinality as given (id, line, ordinal)`);
}
