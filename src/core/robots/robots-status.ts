/**
 * The meaning of the response status of /robots.txt (RFC 9309 section 2.3.1; Nutch `http.robots.*`).
 */

export interface RobotsStatusConf {
  readonly 'http.robots.403.allow': boolean;
  readonly 'http.robots.503.defer.visits': boolean;
}

/** `parse`: read the body; `defer`: request it again later and fetch no page of the host until then. */
export type RobotsMeaning = 'parse' | 'allow-all' | 'deny-all' | 'defer';

/**
 * The meaning of an HTTP status, after redirects were followed; null for no response.
 *
 * 2xx is parsed; 403 allows all, or disallows all with `http.robots.403.allow` false; 5xx and 429 defer the host, or
 * allow all with `http.robots.503.defer.visits` false; other codes, too many redirects and no response allow all, as in
 * Nutch (section 2.3.1.3: the file is unavailable).
 */
export function robotsOfStatus(status: number | null, conf: RobotsStatusConf): RobotsMeaning {
  if (status === null) return 'allow-all';
  if (status >= 200 && status < 300) return 'parse';
  if (status === 403) return conf['http.robots.403.allow'] ? 'allow-all' : 'deny-all';
  if (status === 429 || status >= 500) return conf['http.robots.503.defer.visits'] ? 'defer' : 'allow-all';
  return 'allow-all';
}
