/** Names of CommonCrawl dumps, as in 1.x: `k1/dump/commoncrawl-20251124134001`, with the time in UTC. */

/** The path of a dump of the pages fetched up to this time. */
export const dumpPath = (crawlId: string, at: Date): string =>
  `${crawlId}/dump/commoncrawl-${at.toISOString().replaceAll(/\D/g, '').slice(0, 14)}`;

/** The end of the second in a dump's name; null for any other name. */
export function dumpTime(name: string): Date | null {
  const numbers = /^commoncrawl-(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(name)?.slice(1);
  if (numbers === undefined) return null;
  const [year, month, day, hour, minute, second] = numbers;
  const time = new Date(`${year}-${month}-${day}T${hour}:${minute}:${second}.999Z`);
  return Number.isNaN(time.getTime()) ? null : time;
}
