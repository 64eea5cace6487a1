import type { Pool, PoolClient } from 'pg';

const MIGRATION_LOCK = 7_104_532_001;

/** Locked while migrating, so that servers that start together make the schema once. It is lost with its connection. */
export class MigrationLock {
  private holder: { client: PoolClient; broken?: Error } | undefined;

  constructor(private readonly pool: Pool) {}

  /** Waits until the lock is ours; does nothing while it is. */
  async acquire(): Promise<void> {
    if (this.holder && !this.holder.broken) return;
    await this.release();
    const client = await this.pool.connect();
    this.holder = { client };
    client.on('error', this.onError);
    try {
      // Another server may take long for a migration.
      await client.query('set lock_timeout = 0');
      await client.query('select pg_advisory_lock($1)', [MIGRATION_LOCK]);
      await client.query('reset lock_timeout');
    } catch (error) {
      this.onError(error as Error);
      throw error;
    }
  }

  async release(): Promise<void> {
    const holder = this.holder;
    if (!holder) return;
    if (!holder.broken)
      await holder.client.query('select pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(this.onError);
    this.holder = undefined;
    holder.client.off('error', this.onError);
    holder.client.release(holder.broken);
  }

  /** A connection that breaks between two statements would end the process. */
  private readonly onError = (error: Error): void => {
    if (this.holder) this.holder.broken ??= error;
  };
}
