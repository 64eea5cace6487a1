/**
 * Converts the answer of a server (or a failure) to the columns that FETCH writes for a page. Redirects are not followed here:
 * a target that the rules accept becomes the page's only outlink. It is fetched in a later round (Nutch 2.x), or joins this one
 * (`http.redirect.max`, redirect-at-once.ts).
 */
import type { RobotsLine } from '../../core/robots/robots-file.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import { isMoved, judgeRedirect, redirectKind } from '../../core/url/redirect-rules.js';
import type { Conf } from '../../core/conf/properties.js';
import { PROTOCOL_STATUS, protocolOfHttp, statusOfProtocol } from '../../core/page/protocol-status.js';
import { chooseRepresentative } from '../../core/url/representative.js';
import { storable, storableStart } from '../../db/sql.js';
import type { HttpAnswer, HttpFailureCode, HttpSuccess } from '../../net/http-answer.js';
import { parseHttpDate } from '../../core/http/http-date.js';
import { ROBOTS_TAG } from '../passed-metadata.js';
import type { Visited, Waiting } from './fetch.sql.js';
import { STORED_LENGTHS } from '../../core/page/stored-lengths.js';

/** Protocol codes of permanent failures. */
const FAILURES: Partial<Record<HttpFailureCode, number>> = {
  blocked: PROTOCOL_STATUS.ACCESS_DENIED,
  url: PROTOCOL_STATUS.FAILED,
};

/** The columns of a page without an answer: the protocol status has the reason. */
export function unvisited(
  page: Pick<Waiting, 'host' | 'key' | 'mark'>,
  url: string,
  why: { code: number; args: string[]; skipped?: string; line?: RobotsLine },
): Visited {
  return {
    host: page.host,
    key: page.key,
    mark: page.mark,
    url,
    status: statusOfProtocol(why.code),
    protocolCode: why.code,
    protocolArgs: why.args.map((arg) => storableStart(arg, STORED_LENGTHS.statusArg)),
    robotsLine: why.line ? { ...why.line, text: storableStart(why.line.text, STORED_LENGTHS.robotsLine) } : null,
    httpStatus: null,
    contentType: null,
    reprUrl: null,
    redirectUrl: null,
    redirectKey: null,
    etag: null,
    lastModified: null,
    content: null,
    parse: null,
    noted: {},
    ms: null,
    bytes: null,
    skipped: why.skipped ?? null,
  };
}

const robotsTagOf = ({ 'x-robots-tag': tag }: HttpSuccess['headers']): string | null =>
  tag === undefined ? null : storableStart(tag, STORED_LENGTHS.robotsTag);

/**
 * Whether the server says with a 304 that the bytes of a page are the same, and with `X-Robots-Tag` that its directives are not:
 * the stored content was parsed under others. A header that a 304 omits is as it was (RFC 9111 §3.2). False without
 * validators, so such a page is requested once more only.
 */
export const hasNewDirectives = (
  { etag, lastModified, robotsTag }: Waiting,
  { status, headers }: Pick<HttpSuccess, 'status' | 'headers'>,
): boolean =>
  (etag !== null || lastModified !== null) &&
  protocolOfHttp(status) === PROTOCOL_STATUS.NOTMODIFIED &&
  ![null, robotsTag].includes(robotsTagOf(headers));

export class Visits {
  constructor(
    private readonly conf: Conf,
    private readonly rules: UrlRules,
  ) {}

  /** The visit that an answer makes. @param conditional the page has content, and the request had its validators */
  visitOf(page: Waiting, url: string, answer: HttpAnswer, { conditional = false } = {}): Visited {
    if (!answer.ok) {
      // Where the cause is on our side, nothing is known about the page: such attempts are not counted.
      const code = answer.local ? PROTOCOL_STATUS.RETRY : (FAILURES[answer.code] ?? PROTOCOL_STATUS.EXCEPTION);
      return unvisited(page, url, { code, args: [`${answer.code}: ${answer.message}`] });
    }
    // There is no stored content to which it could refer.
    const unasked304 = protocolOfHttp(answer.status) === PROTOCOL_STATUS.NOTMODIFIED && !conditional;
    const code = unasked304 ? PROTOCOL_STATUS.EXCEPTION : protocolOfHttp(answer.status);
    const said = answer.reply ?? `HTTP ${answer.status}`;
    const message = unasked304 ? `HTTP ${answer.status} to a request without a condition` : said;
    const visit: Visited = {
      ...unvisited(page, url, { code, args: code === PROTOCOL_STATUS.SUCCESS ? [] : [message] }),
      httpStatus: answer.status,
      noted: this.noted(answer),
      ms: this.conf['http.store.responsetime'] ? Math.round(answer.ms) : null,
      bytes: answer.wireBytes,
      conditional,
    };
    if (code === PROTOCOL_STATUS.SUCCESS) return { ...visit, ...this.content(answer), reprUrl: page.representative };
    return isMoved(code) ? { ...visit, ...this.redirect(page, url, answer, code) } : visit;
  }

  /** Metadata of the page about the exchange, with Nutch's names. */
  private noted({ address, request, protocols, headers, status }: HttpSuccess): Record<string, string> {
    const robotsTag = protocolOfHttp(status) === PROTOCOL_STATUS.SUCCESS ? robotsTagOf(headers) : null;
    return {
      ...(this.conf['store.ip.address'] && address !== '' && { _ip_: address }),
      ...(request !== undefined && { _request_: storable(request) }),
      ...(protocols !== undefined && { _protocol_versions_: protocols }),
      // Of content only: it says with which directives that was parsed.
      ...(robotsTag !== null && { [ROBOTS_TAG]: robotsTag }),
    };
  }

  private content(answer: HttpSuccess): Partial<Visited> {
    const { headers } = answer;
    // Validators of the whole are not stored with a truncated body: conditional requests would keep it truncated forever.
    const whole = answer.truncated === false;
    const modified = whole && headers['last-modified'] ? parseHttpDate(headers['last-modified']) : null;
    return {
      contentType: headers['content-type'] ? storableStart(headers['content-type'], STORED_LENGTHS.contentType) : null,
      // A part of one would match nothing, and keep servers from looking at the date.
      etag:
        whole && headers['etag'] && headers['etag'].length <= STORED_LENGTHS.etag ? storable(headers['etag']) : null,
      lastModified: modified === null ? null : new Date(modified),
      content: {
        body: answer.body,
        length: answer.body.length,
        headers: storableHeaders(headers),
        truncated: answer.truncated || null,
      },
    };
  }

  private redirect(page: Waiting, url: string, answer: HttpSuccess, code: number): Partial<Visited> {
    const from = { url, key: page.key };
    const { target, key, admission } = judgeRedirect(from, answer.headers['location'], {
      conf: this.conf,
      rules: this.rules,
    });
    if (target === null) return { protocolArgs: [`HTTP ${answer.status} without a usable Location`] };
    const temporary = redirectKind(code) === 'temporary';
    const shown = storableStart(target, STORED_LENGTHS.url);
    // A target that the rules reject cannot be the representative URL.
    const admitted = key !== null && admission && 'url' in admission ? admission.url : null;
    const reprUrl = admitted === null ? null : chooseRepresentative(page.representative ?? url, admitted, temporary);
    return { redirectUrl: shown, protocolArgs: [shown], reprUrl, redirectKey: key };
  }
}

function storableHeaders(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [storable(name), storable(value)]));
}
