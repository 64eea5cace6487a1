/**
 * Figures that stand in the database: jobs, tasks, pages, hosts, tables. One part of them is one or two statements and the
 * gauges that show their answer. A part is read when somebody asks and its figures are older than its `freshMs`, so that
 * however many ask, the database is asked now and then.
 */
import type { Sql } from '../../db/sql.js';

export interface MetricPart {
  /** For the label of `orbweaver_metrics_part_up`. */
  readonly name: string;
  /** For how long its figures are good enough, ms. */
  readonly freshMs: number;
  /** Reads the figures and sets the gauges. What throws takes the figures of this part away, and only these. */
  read(db: Sql): Promise<void>;
  /** Takes the figures away: none are better than old ones that look like new ones. */
  clear(): void;
}
