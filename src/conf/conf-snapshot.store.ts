/** The configurations that jobs run with: stored once by the hash of their content, rules of files included. */
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import type { Repository } from 'typeorm';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { sql } from '../db/sql.js';
import { ConfCache } from './conf-cache.js';
import type { ConfReading } from './conf-reading.js';
import { ConfSnapshotEntity } from './conf-snapshot.entity.js';
import { ConfRefused, effectiveTexts } from './conf-texts.js';
import { changedGuard } from '../core/conf/admin-properties.js';
import { type Conf, type Params, parseConf } from '../core/conf/properties.js';
import { withValues } from '../core/conf/rule-file-values.js';

/** The content of a configuration at one instant. */
export interface Snapshot {
  /** SHA-256 of the content, in hex. */
  hash: string;
  conf: Conf;
}

export class ConfSnapshots {
  private readonly pool: Pool;
  private readonly stored: Repository<ConfSnapshotEntity>;
  private readonly cache = new ConfCache();

  constructor(
    dataSource: PooledDataSource,
    private readonly confs: ConfReading,
  ) {
    this.pool = dataSource.pool;
    this.stored = dataSource.getRepository(ConfSnapshotEntity);
  }

  /**
   * Stores the present content of a configuration, with its rule files and `changes`, under its hash; undefined
   * for an unknown id. It is kept for a day, and for as long as a job names it. Throws ConfRefused for a rule file that is
   * not stored or not usable.
   */
  async take(id: string, changes: Params = {}): Promise<Snapshot | undefined> {
    const params = await this.confs.paramsOf(id);
    if (params === undefined) return undefined;
    const texts = effectiveTexts({ ...this.confs.overlay, ...params, ...changes });
    const files = await this.confs.filesOf(parseConf(Object.fromEntries(texts)).conf);
    if (Object.keys(changes).length > 0) {
      const before = await this.confs.inForce(params);
      const guard = changedGuard(before, withValues({ ...params, ...changes }, this.confs.overlay, files));
      if (guard !== undefined) throw new ConfRefused(`Arguments of a job may not change what property ${guard} says.`);
    }
    const content = {
      ...Object.fromEntries([...texts].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...files.values,
    };
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    const known = this.cache.get(hash);
    if (known === undefined && files.sources.size > 0) this.confs.examine(parseConf(content).conf, files);
    await this.pool.query(sql`
      insert into conf_snapshot (hash, params) values (${hash}, ${content})
      on conflict (hash) do update set used_at = now() where conf_snapshot.used_at < now() - interval '1 hour'`);
    return { hash, conf: known ?? this.cache.add(hash, content) };
  }

  /** The configuration of a snapshot. Throws if there is none of this hash. */
  async conf(hash: string): Promise<Conf> {
    const known = this.cache.get(hash);
    if (known) return known;
    const stored = await this.stored.findOneBy({ hash });
    if (stored === null) throw new Error(`There is no configuration snapshot ${hash}.`);
    return this.cache.add(hash, stored.params);
  }
}
