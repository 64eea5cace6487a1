/** Rule files by name: stored by clients for the properties of rule-file-pairs.ts. */
import type { Pool } from 'pg';
import { In, type Repository } from 'typeorm';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { row, rows } from '../db/sql.js';
import { RuleFileEntity } from './rule-file.entity.js';

export const MAX_RULE_FILES = 1_000;
/** Bytes of UTF-8. */
export const MAX_RULE_FILE_BYTES = 2_097_152;

export interface RuleFile {
  name: string;
  /** Bytes of UTF-8. */
  size: number;
  createdAt: Date;
  updatedAt: Date;
}

export class RuleFileStore {
  private readonly pool: Pool;
  private readonly files: Repository<RuleFileEntity>;

  constructor(dataSource: PooledDataSource) {
    this.pool = dataSource.pool;
    this.files = dataSource.getRepository(RuleFileEntity);
  }

  /** Stores a file; one of the same name is replaced. Undefined if there are `MAX_RULE_FILES` others. */
  save(name: string, content: string): Promise<RuleFile | undefined> {
    return row<RuleFile>(this.pool)`
      insert into rule_file (name, content)
      select ${name}, ${content}
       where (select count(*) from rule_file where name <> ${name}) < ${MAX_RULE_FILES}
      on conflict (name) do update set content = excluded.content, updated_at = now()
      returning name, octet_length(content) as size, created_at as "createdAt", updated_at as "updatedAt"`;
  }

  async content(name: string): Promise<string | undefined> {
    return (await this.contents([name])).get(name);
  }

  async contents(names: readonly string[]): Promise<Map<string, string>> {
    if (names.length === 0) return new Map();
    const files = await this.files.find({
      select: { name: true, content: true },
      where: { name: In([...new Set(names)]) },
    });
    return new Map(files.map(({ name, content }) => [name, content]));
  }

  /** Files by name, after `after`, at most `limit`. */
  list(after: string, limit: number): Promise<RuleFile[]> {
    return rows<RuleFile>(this.pool)`
      select name, octet_length(content) as size, created_at as "createdAt", updated_at as "updatedAt"
        from rule_file where name > ${after} order by name limit ${limit}`;
  }

  /** Deletes a file; false if there is none. */
  async remove(name: string): Promise<boolean> {
    return (await this.files.delete({ name })).affected === 1;
  }
}
