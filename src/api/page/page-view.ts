import { statusName } from '../../core/page/page-status.js';
import { parseStatusText } from '../../core/page/parse-status.js';
import { protocolName } from '../../core/page/protocol-status.js';
import { domainOf } from '../../core/url/domain.js';
import { unreverseHost, unreverseUrl } from '../../core/url/row-key.js';
import type { PageRow } from '../../core/page/page-row.js';
import type { PageDto, PageParseStatus, PageProtocolStatus, PageRanks } from './page.dto.js';

/** A time in the format of /v1. */
export const isoTime = (time: Date | null): string | null => time?.toISOString() ?? null;

export function pageView(page: PageRow, ranks?: PageRanks): PageDto {
  const host = unreverseHost(page.host);
  return {
    url: unreverseUrl(page.key),
    key: page.key,
    host,
    domain: domainOf(host),
    status: statusName(page.status),
    statusCode: page.status,
    score: page.score,
    ...(ranks && { ranks }),
    distance: page.distance,
    fetchTime: page.fetchTime.toISOString(),
    prevFetchTime: isoTime(page.prevFetchTime),
    fetchInterval: page.fetchInterval,
    retries: page.retriesSinceFetch,
    modifiedTime: isoTime(page.modifiedTime),
    prevModifiedTime: isoTime(page.prevModifiedTime),
    batchId: page.batchId,
    marks: {
      inject: page.injectMark,
      generate: page.generateMark,
      fetch: page.fetchMark,
      parse: page.parseMark,
      update: page.updateMark,
      index: page.indexMark,
    },
    protocolStatus: protocolOf(page),
    httpStatus: page.httpStatus,
    parseStatus: parseOf(page),
    signature: page.signature,
    prevSignature: page.prevSignature,
    title: page.title,
    contentType: page.contentType,
    baseUrl: page.baseUrl,
    reprUrl: page.reprUrl,
    redirectUrl: page.redirectUrl,
    sourceKind: page.sourceKind,
    etag: page.etag,
    lastModified: isoTime(page.lastModified),
    ...(page.truncated !== null && { truncated: page.truncated }),
    metadata: page.metadata ?? {},
  };
}

function protocolOf({ protocolCode: code, protocolArgs }: PageRow): PageProtocolStatus | null {
  return code === null ? null : { code, name: protocolName(code), args: protocolArgs ?? [] };
}

function parseOf({ parseMajor: major, parseMinor, parseArgs }: PageRow): PageParseStatus | null {
  if (major === null) return null;
  const status = { major, minor: parseMinor ?? 0, args: parseArgs ?? [] };
  // `success/ok (1/0), args=[]`
  const name = parseStatusText(status).split(' ')[0] ?? '';
  return { ...status, name };
}
