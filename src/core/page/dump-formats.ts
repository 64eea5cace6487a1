/**
 * Pages in the text formats of `readdb -dump`: normal (for people), csv, json (one object per line).
 *
 * Scripts read these formats line by line, so labels, order, times and numbers are exactly Nutch's, with two exceptions: quotes
 * in CSV are doubled, and line breaks in metadata become blanks, so that a value cannot break its record.
 */
import { DAY_S } from '../day.js';
import { statusName } from './page-status.js';
import { unreverseUrl } from '../url/row-key.js';
import { type PageRow, publicMetadata } from './page-row.js';
import { javaFloat } from '../java-float.js';
import { javaDate } from '../java-date.js';

export const dumpFormats = ['normal', 'csv', 'json'] as const;
export type DumpFormat = (typeof dumpFormats)[number];

const epoch = new Date(0);

const CSV_HEAD =
  'Url,Status code,Status name,Fetch Time,Modified Time,Retries since fetch,Retry interval seconds,Retry interval days,Score,Signature,Metadata\n';

/** The text before the first page. */
export const headOf = (format: DumpFormat): string => (format === 'csv' ? CSV_HEAD : '');

/** The columns of a page that a CrawlDatum shows. */
export type DatumPage = Pick<
  PageRow,
  | 'key'
  | 'status'
  | 'fetchTime'
  | 'modifiedTime'
  | 'retriesSinceFetch'
  | 'fetchInterval'
  | 'score'
  | 'signature'
  | 'metadata'
> &
  Partial<Pick<PageRow, 'truncated'>>;

const datumOf = (page: DatumPage) => ({
  url: unreverseUrl(page.key),
  name: statusName(page.status),
  fetchTime: javaDate(page.fetchTime),
  modifiedTime: javaDate(page.modifiedTime ?? epoch),
  days: Math.floor(page.fetchInterval / DAY_S),
  signature: page.signature ?? 'null',
  metadata: Object.entries(publicMetadata(page) ?? {}).map(([name, value]): [string, string] => [
    withoutLineBreaks(name),
    withoutLineBreaks(typeof value === 'string' ? value : JSON.stringify(value)),
  ]),
});

export const withoutLineBreaks = (text: string) => text.replaceAll(/[\r\n]+/g, ' ');
const csvQuoted = (text: string) => `"${text.replaceAll('"', '""')}"`;

export const writePage = (page: PageRow, format: DumpFormat): string => writers[format](page);

const writers: Record<DumpFormat, (page: PageRow) => string> = { normal, csv, json };

function normal(page: PageRow): string {
  return `${unreverseUrl(page.key)}\t${datumText(page)}`;
}

/** A page as `CrawlDatum.toString()` writes it, with its own status or another one. */
export function datumText(page: DatumPage, status = { code: page.status, name: statusName(page.status) }): string {
  const { fetchTime, modifiedTime, days, signature, metadata } = datumOf(page);
  return [
    'Version: 7',
    `Status: ${status.code} (${status.name})`,
    `Fetch time: ${fetchTime}`,
    `Modified time: ${modifiedTime}`,
    `Retries since fetch: ${page.retriesSinceFetch}`,
    `Retry interval: ${page.fetchInterval} seconds (${days} days)`,
    `Score: ${javaFloat(page.score)}`,
    `Signature: ${signature}`,
    'Metadata: ',
    ` ${metadata.map(([key, value]) => `\t${key}=${value}\n`).join('')}`,
    '',
  ].join('\n');
}

function csv(page: PageRow): string {
  const { url, name, fetchTime, modifiedTime, days, signature, metadata } = datumOf(page);
  const fields = [
    csvQuoted(url),
    page.status,
    csvQuoted(name),
    fetchTime,
    modifiedTime,
    page.retriesSinceFetch,
    javaFloat(page.fetchInterval),
    javaFloat(days),
    javaFloat(page.score),
    csvQuoted(signature),
    csvQuoted(metadata.map(([key, value]) => `${key}:${value}|||`).join('')),
  ];
  return `${fields.join(',')}\n`;
}

function json(page: PageRow): string {
  const { url, name, fetchTime, modifiedTime, days, signature, metadata } = datumOf(page);
  const datum = {
    url,
    statusCode: page.status,
    statusName: name,
    fetchTime,
    modifiedTime,
    retriesSinceFetch: page.retriesSinceFetch,
    retryIntervalSeconds: page.fetchInterval,
    retryIntervalDays: days,
    score: page.score,
    signature,
    metadata: Object.fromEntries(metadata),
  };
  return `${JSON.stringify(datum)}\n`;
}
