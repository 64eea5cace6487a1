/** Shows how UPDATEDB would update a page after a visit: calls its function with the schedule of a configuration. */
import { Injectable } from '@nestjs/common';
import { type PageState, nextState } from '../../core/page/next-state.js';
import { PAGE_STATUS, type PageStatus, readVisitStatus, statusName } from '../../core/page/page-status.js';
import { PROTOCOL_STATUS, protocolOfHttp, statusOfProtocol } from '../../core/page/protocol-status.js';
import { fixedIntervalOf } from '../../core/schedule/fetch-schedule.js';
import { sitemapHints } from '../../core/schedule/sitemap-hints.js';
import { hostOfUrl } from '../../core/url/url-components.js';
import { makeSchedule } from '../../plugin/chosen-by-class.js';
import { shown } from '../problem.js';
import { fieldRefused } from '../refused-fields.js';
import { admit } from '../request/admit.js';
import { ConfRules } from './conf-rules.js';
import { whyScheduled } from '../../core/schedule/schedule-reasons.js';
import {
  type GivenTime,
  type InspectSchedule,
  type InspectedSchedule,
  ScheduleOutcome,
  SchedulePage,
} from './schedule.dto.js';

@Injectable()
export class ScheduleInspector {
  constructor(private readonly confs: ConfRules) {}

  /** Throws FIELDS_INVALID, CONFIG_ID_UNKNOWN. */
  async inspect({ page, outcome, confId }: InspectSchedule): Promise<InspectedSchedule> {
    const state = stateOf(admit(SchedulePage, page, 'page').value, admit(ScheduleOutcome, outcome, 'outcome').value);
    const conf = await this.confs.conf(confId);
    const before = { ...state, fetchInterval: state.fetchInterval ?? conf['db.fetch.interval.default'] };
    const next = nextState(before, makeSchedule(conf), conf);
    const { fetchTime, prevFetchTime, fetchInterval, modifiedTime, retries, status, unconditional } = next;
    return {
      fetchTime,
      fetchInterval,
      status: statusName(status),
      statusCode: status,
      modifiedTime,
      prevFetchTime,
      retries,
      unconditional,
      why: whyScheduled(before, next, conf),
    };
  }
}

type GivenState = Omit<PageState, 'fetchInterval'> & { fetchInterval: number | undefined };

function stateOf(page: SchedulePage, outcome: ScheduleOutcome): GivenState {
  const metadata = metadataTexts(page.metadata ?? {});
  const time = msOr(outcome.time, Date.now());
  return {
    status: writtenStatus(outcome),
    fetchTime: time,
    prevFetchTime: msOr(page.fetchTime, time),
    fetchInterval: page.fetchInterval,
    retries: page.retries ?? 0,
    modifiedTime: msOr(page.modifiedTime, 0),
    prevModifiedTime: 0,
    signature: outcome.signature ?? null,
    prevSignature: page.signature ?? null,
    lastModified: outcome.lastModified === undefined ? null : Number(outcome.lastModified),
    parseFailed: outcome.parseFailed ?? false,
    unasked: ['RETRY', String(PROTOCOL_STATUS.RETRY)].includes(outcome.protocol?.toUpperCase() ?? ''),
    fixedInterval: fixedIntervalOf(metadata['fixedInterval']),
    host: hostNamed(page.url ?? ''),
    contentType: page.contentType ?? null,
    score: page.score,
    sitemap: sitemapHints(metadata),
  };
}

const msOr = (time: GivenTime | undefined, otherwise: number): number =>
  time === undefined ? otherwise : Number(time);

const metadataTexts = (metadata: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(metadata).flatMap(([name, value]) => (value === null ? [] : [[name, String(value)]])),
  );

const hostNamed = (url: string): string => (url.includes('://') ? hostOfUrl(url) : url).toLowerCase();

/** The statuses that a visit can find. */
const AFTER_FETCH: ReadonlySet<PageStatus> = new Set([
  PAGE_STATUS.fetched,
  PAGE_STATUS.gone,
  PAGE_STATUS.redirTemp,
  PAGE_STATUS.redirPerm,
  PAGE_STATUS.notModified,
  PAGE_STATUS.retry,
]);

/** The status that FETCH writes. Throws FIELDS_INVALID unless exactly one form is given, with a valid value. */
export function writtenStatus({ status, protocol, httpStatus }: ScheduleOutcome): number {
  const given = Object.entries({ status, protocol, httpStatus }).filter(([, outcome]) => outcome !== undefined);
  if (given.length !== 1) {
    const names = given.map(([name]) => name).join(', ') || 'none';
    throw refused(
      'status',
      `one of outcome.status, outcome.protocol and outcome.httpStatus must be given (given: ${names})`,
    );
  }
  if (httpStatus !== undefined) return statusOfProtocol(protocolOfHttp(httpStatus));
  if (protocol !== undefined) {
    const known = Object.entries(PROTOCOL_STATUS).find(
      ([name, code]) => name === protocol.toUpperCase() || String(code) === protocol,
    );
    if (known === undefined)
      throw refused(
        'protocol',
        `outcome.protocol must be one of ${Object.keys(PROTOCOL_STATUS).join(', ')} (given: ${shown(protocol)})`,
      );
    return statusOfProtocol(known[1]);
  }
  const code = readVisitStatus(status ?? '');
  if (code !== null && AFTER_FETCH.has(code)) return code;
  const allowed = [...AFTER_FETCH].map((known) => `${statusName(known)} (${known})`).join(', ');
  throw refused('status', `outcome.status must be what a visit can find: ${allowed} (given: ${shown(status)})`);
}

const refused = (field: string, message: string) => fieldRefused(`outcome.${field}`, message);
