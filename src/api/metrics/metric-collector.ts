/**
 * Metrics that are read from the database: jobs, tasks, pages, hosts, tables. A collector is one or two statements and the metrics
 * set from their result. It reads on a request when its values are older than `freshMs`, so that the number of requests
 * does not determine the load of the database.
 */
import type { Sql } from '../../db/sql.js';

export interface MetricCollector {
  /** For the label of `orbweaver_metrics_part_up`. */
  readonly name: string;
  /** Age up to which its values are not read again, ms. */
  readonly freshMs: number;
  /** Reads the values and sets the metrics. If it throws, only the values of this collector are removed. */
  read(db: Sql): Promise<void>;
  /** Removes the values: missing ones are better than stale ones that look current. */
  clear(): void;
}
