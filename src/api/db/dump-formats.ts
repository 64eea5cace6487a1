/** Pages in the text forms of `readdb -dump`: normal (for people), csv, json (one object a line). */
import { statusName } from '../../core/page/page-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { PageRow } from '../../webpage/page-row.js';

export const dumpFormats = ['normal', 'csv', 'json'] as const;
export type DumpFormat = (typeof dumpFormats)[number];

const oneDay = 86_400;
const epoch = new Date(0);

const csvHead =
  'Url,Status code,Status name,Fetch Time,Modified Time,Retries since fetch,Retry interval seconds,Retry interval days,Score,Signature,Metadata\n';

/** What stands before the first page. */
export const headOf = (format: DumpFormat): string => (format === 'csv' ? csvHead : '');

const metadataOf = ({ metadata }: PageRow): [string, string][] =>
  Object.entries(metadata ?? {}).map(([name, value]) => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

const writers: Record<DumpFormat, (page: PageRow) => string> = {
  normal: (page) =>
    [
      `${unreverseUrl(page.key)}\tVersion: 7`,
      `Status: ${page.status} (${statusName(page.status)})`,
      `Fetch time: ${page.fetchTime.toISOString()}`,
      `Modified time: ${(page.modifiedTime ?? epoch).toISOString()}`,
      `Retries since fetch: ${page.retriesSinceFetch}`,
      `Retry interval: ${page.fetchInterval} seconds (${Math.floor(page.fetchInterval / oneDay)} days)`,
      `Score: ${page.score}`,
      `Signature: ${page.signature}`,
      'Metadata: ',
      ...metadataOf(page).map(([name, value]) => ` \t${name}=${value.replaceAll(/[\r\n]+/g, ' ')}`),
      '\n',
    ].join('\n'),
  csv: (page) =>
    `${[
      quoted(unreverseUrl(page.key)),
      page.status,
      quoted(statusName(page.status)),
      page.fetchTime.toISOString(),
      (page.modifiedTime ?? epoch).toISOString(),
      page.retriesSinceFetch,
      page.fetchInterval,
      page.fetchInterval / oneDay,
      page.score,
      quoted(page.signature ?? 'null'),
      quoted(
        metadataOf(page)
          .map(([name, value]) => `${name}:${value}`)
          .join('|||'),
      ),
    ].join(',')}\n`,
  json: (page) =>
    `${JSON.stringify({
      url: unreverseUrl(page.key),
      statusCode: page.status,
      statusName: statusName(page.status),
      fetchTime: page.fetchTime.toISOString(),
      modifiedTime: (page.modifiedTime ?? epoch).toISOString(),
      retriesSinceFetch: page.retriesSinceFetch,
      retryIntervalSeconds: page.fetchInterval,
      retryIntervalDays: page.fetchInterval / oneDay,
      score: page.score,
      signature: page.signature ?? 'null',
      metadata: Object.fromEntries(metadataOf(page)),
    })}\n`,
};

/** One page in a format, with its line end. */
export const writePage = (page: PageRow, format: DumpFormat): string => writers[format](page);
