/** Table `robots`: the robots.txt of each origin as it was last received, or why it is unavailable. */
import { CLOCK_TOLERANCE_S } from '../core/politeness/back-off.js';
import type { StoredRobots } from '../core/robots/robots-status.js';
import { lockInOrder } from '../db/row-locks.js';
import { type Sql, fragment, row, sql, storableStart } from '../db/sql.js';

/** The primary key of the table: the host reversed, and the origin. */
export interface RobotsKey {
  readonly host: string;
  readonly origin: string;
}

export interface StoredFile extends StoredRobots {
  body: Buffer | null;
}

/** On how many days (each from the hour of the first) the network failed, and for how long. */
export type FailureSeries = Pick<StoredRobots, 'failures' | 'failingMs'>;

/** How long the network has failed, ms; 0: the server answered. */
export const failingMs = fragment`coalesce(extract(epoch from fetched_at - failing_since) * 1000, 0)::float8`;

/**
 * The file of an origin as any process has stored it, unless it has expired: under the configuration that stored it, or under
 * this one, which may believe a file for a shorter time.
 * @param age seconds since the task began, an hour at most: a file stored later is valid
 * @param maxAge `http.robots.cache.seconds`
 */
export function storedFile(
  db: Sql,
  { host, origin }: RobotsKey,
  { age, maxAge }: { age: number; maxAge: number },
): Promise<StoredFile | undefined> {
  return row<StoredFile>(db)`
    select http_status as "httpStatus", body, error, failures, ${failingMs} as "failingMs" from robots
     where host = ${host} and origin = ${origin}
       -- A time in the future was written by a clock that was ahead: the age of the file is unknown.
       and fetched_at <= now() + make_interval(secs => ${CLOCK_TOLERANCE_S})
       and (expires_at > now() or (error is null and fetched_at >= now() - make_interval(secs => ${age})))
       and (error is not null or fetched_at >= now() - make_interval(secs => ${Math.max(age, maxAge)}))`;
}

/** Stores a file that was received; it is no longer failing. @param file.seconds how long it is valid */
export async function storeFile(
  db: Sql,
  { host, origin }: RobotsKey,
  file: { status: number; body: Buffer; crawlDelay: number | null; seconds: number },
): Promise<void> {
  await db.query(sql`
    insert into robots (host, origin, fetched_at, expires_at, http_status, body, crawl_delay)
    values (${host}, ${origin}, now(), now() + make_interval(secs => ${file.seconds}), ${file.status}, ${file.body},
            ${file.crawlDelay})
    on conflict (host, origin) do update
       set fetched_at = excluded.fetched_at, expires_at = excluded.expires_at, http_status = excluded.http_status,
           body = excluded.body, crawl_delay = excluded.crawl_delay, error = null, failures = 0,
           failing_since = null`);
}

/**
 * Stores why a file is unavailable now; its former body is kept, but not used. A status ends the series of failures of the
 * network and begins its own, without `failing_since`; a failure that does not count is stored, but changes neither.
 */
export async function storeFailure(
  db: Sql,
  { host, origin }: RobotsKey,
  failure: { status: number | null; retryMs: number | null; why: string; counts: boolean; byNetwork: boolean },
): Promise<FailureSeries> {
  const { status, retryMs, why, counts, byNetwork } = failure;
  const stored = await row<FailureSeries>(db)`
    insert into robots (host, origin, fetched_at, expires_at, http_status, error, failures, failing_since)
    values (${host}, ${origin}, now(), now() + make_interval(secs => ${(retryMs ?? 0) / 1000}),
            ${status}, ${storableStart(why, 500)}, ${counts ? 1 : 0},
            case when ${byNetwork}::boolean then now() end)
    on conflict (host, origin) do update
       -- A failure that does not count keeps the time of the last one that does: days are counted by it.
       set fetched_at = case when ${counts}::boolean then excluded.fetched_at else robots.fetched_at end,
           expires_at = excluded.expires_at, http_status = excluded.http_status, error = excluded.error,
           failures = case when not ${counts}::boolean then robots.failures
                           when (robots.failing_since is not null) <> ${byNetwork}::boolean then 1
                           else robots.failures + (robots.failing_since is null or robots.fetched_at <
                                date_bin('1 day', excluded.fetched_at, robots.failing_since))::int end,
           failing_since = case when not ${counts}::boolean then robots.failing_since
                                when ${byNetwork}::boolean then coalesce(robots.failing_since, excluded.failing_since) end
    returning failures, ${failingMs} as "failingMs"`;
  return stored!;
}

/** Deletes files that have expired and were not requested for 90 days: longer than failures of the network are counted (30). */
export async function forgetFiles(db: Sql): Promise<void> {
  await db.query(sql`
    delete from robots r
     using (select f.host, f.origin from robots f where greatest(f.fetched_at, f.expires_at) < now() - interval '90 days'
             order by f.host, f.origin ${lockInOrder(fragment`f`)}) as old
     where r.host = old.host and r.origin = old.origin`);
}
