/**
 * The meaning of the response status of /robots.txt (RFC 9309 §2.3.1; Nutch `http.robots.*`), and of what is stored
 * of it.
 */
import { DAY_MS } from '../day.js';
import { isTrouble } from '../politeness/back-off.js';

export interface RobotsStatusConf {
  readonly 'http.robots.403.allow': boolean;
  readonly 'http.robots.503.defer.visits': boolean;
}

export interface StoredRobotsConf extends RobotsStatusConf {
  readonly 'db.fetch.retry.max': number;
}

/** The last request for a robots.txt. */
export interface StoredRobots {
  /** Null: the server did not answer. */
  readonly httpStatus: number | null;
  /** Why the file is unavailable; null: it was fetched. */
  readonly error: string | null;
  /** On how many days in a row it was unavailable. */
  readonly failures: number;
  /** For how long the network has failed; 0: the server answered. */
  readonly failingMs: number;
}

/** How long network failures must last before the file counts as missing: the 30 days of RFC 9309. */
const LONG_MS = 30 * DAY_MS;

/** `parse`: read the body; `defer`: request it again later and fetch no page of the host until then. */
export type RobotsMeaning = 'parse' | 'allow-all' | 'deny-all' | 'defer';

/**
 * The meaning of an HTTP status, after redirects were followed; null for no response.
 *
 * 2xx is parsed; 403 allows all, or disallows all with `http.robots.403.allow` false; 5xx and 429 defer the host, or
 * allow all with `http.robots.503.defer.visits` false; other codes, too many redirects and no response allow all, as in
 * Nutch (§2.3.1.3: the file is unavailable).
 */
export function robotsOfStatus(status: number | null, conf: RobotsStatusConf): RobotsMeaning {
  if (status === null) return 'allow-all';
  if (status >= 200 && status < 300) return 'parse';
  if (status === 403) return conf['http.robots.403.allow'] ? 'allow-all' : 'deny-all';
  if (isTrouble(status)) return conf['http.robots.503.defer.visits'] ? 'defer' : 'allow-all';
  return 'allow-all';
}

/**
 * The meaning of what is stored. After long network failures the file may count as missing (RFC 9309 §2.3.1.4): then
 * the pages of a dead host are visited, fail themselves, and become gone in the end.
 */
export function meaningOfStored(stored: StoredRobots, conf: StoredRobotsConf): RobotsMeaning {
  const { httpStatus, error, failures, failingMs } = stored;
  if (error === null) return robotsOfStatus(httpStatus, conf);
  if (!conf['http.robots.503.defer.visits']) return 'allow-all';
  const isLong = failures > conf['db.fetch.retry.max'] && failingMs >= LONG_MS;
  return httpStatus === null && isLong ? 'allow-all' : 'defer';
}
