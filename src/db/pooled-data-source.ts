/**
 * A TypeORM data source that uses a pool of ours: repositories and migrations, and the statements of sql.ts, use the
 * same connections.
 */
import type { Pool } from 'pg';
import { DataSource, type DataSourceOptions, DefaultNamingStrategy } from 'typeorm';

/** Columns are named as the properties of their entity, in snake case. */
class SnakeCaseColumns extends DefaultNamingStrategy {
  override columnName(propertyName: string, customName: string | undefined): string {
    return customName ?? propertyName.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  }
}

export class PooledDataSource extends DataSource {
  /**
   * @param url where the pool connects to
   * @param pool is ended by `destroy`
   */
  constructor(
    readonly url: string,
    readonly pool: Pool,
    options: Pick<DataSourceOptions, 'entities' | 'migrations'>,
  ) {
    super({
      ...options,
      type: 'postgres',
      url,
      // It makes its pool by `new driver.Pool(options)`: this constructor returns the existing one.
      driver: {
        Pool: function () {
          return pool;
        },
      },
      migrationsTransactionMode: 'each',
      namingStrategy: new SnakeCaseColumns(),
      // Only migrations make the schema.
      synchronize: false,
      installExtensions: false,
    });
  }
}
