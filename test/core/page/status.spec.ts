import { describe, expect, it } from 'vitest';
import { parseFailure, parseRedirect, parseStatusText, parseSuccess } from '../../../src/core/page/parse-status.js';
import {
  PAGE_STATUS_CODES,
  legacyStatus,
  readStatus,
  readVisitStatus,
  statusCode,
  statusName,
} from '../../../src/core/page/page-status.js';
import {
  PROTOCOL_STATUS,
  protocolName,
  protocolOfHttp,
  protocolStatusText,
  statusOfProtocol,
  type ProtocolName,
} from '../../../src/core/page/protocol-status.js';

describe('the status of a page (Nutch CrawlDatum)', () => {
  it.each([
    [1, 'db_unfetched'],
    [2, 'db_fetched'],
    [3, 'db_gone'],
    [4, 'db_redir_temp'],
    [5, 'db_redir_perm'],
    [6, 'db_notmodified'],
    [7, 'db_duplicate'],
    [8, 'db_orphan'],
    [9, 'db_parse_failed'],
    [34, 'fetch_retry'],
    [0, 'unknown'],
    [66, 'unknown'],
  ])('%i is %s', (code, name) => {
    expect(statusName(code)).toBe(name);
    expect(PAGE_STATUS_CODES.some((one) => one === code)).toBe(name !== 'unknown');
  });

  it('is found by both names of its code, in any letter case', () => {
    for (const code of PAGE_STATUS_CODES) {
      expect(statusCode(statusName(code))).toBe(code);
      expect(statusCode(legacyStatus(code).name)).toBe(code);
    }
    expect(statusCode('DB_Fetched')).toBe(2);
    expect(statusCode('fetched')).toBeNull();
    expect(statusCode('constructor')).toBeNull();
  });

  it.each([
    ['2', 2, 2],
    ['status_gone', 3, 3],
    ['34', 34, 34],
    ['FETCH_SUCCESS', null, 2],
    ['33', null, 2],
    ['38', null, 6],
    ['0', null, null],
    ['', null, null],
  ])('is named by %j: %j, of a visit %j', (text, status, ofVisit) => {
    expect([readStatus(text), readVisitStatus(text)]).toEqual([status, ofVisit]);
  });

  it.each([
    [1, 1, 'status_unfetched'],
    [2, 2, 'status_fetched'],
    [3, 3, 'status_gone'],
    [4, 4, 'status_redir_temp'],
    [5, 5, 'status_redir_perm'],
    [6, 38, 'status_notmodified'],
    [34, 34, 'status_retry'],
    [77, 77, 'unknown'],
  ])('%i is shown in /db as %i %s', (stored, code, name) => {
    expect(legacyStatus(stored)).toEqual({ code, name });
  });
});

describe('the status of a request (Nutch ProtocolStatus)', () => {
  it.each<[number, ProtocolName]>([
    [200, 'SUCCESS'],
    [204, 'EXCEPTION'],
    [206, 'EXCEPTION'],
    [300, 'MOVED'],
    [301, 'MOVED'],
    [302, 'TEMP_MOVED'],
    [303, 'TEMP_MOVED'],
    [304, 'NOTMODIFIED'],
    [305, 'MOVED'],
    [307, 'TEMP_MOVED'],
    [308, 'MOVED'],
    [399, 'MOVED'],
    [400, 'GONE'],
    [401, 'ACCESS_DENIED'],
    [403, 'EXCEPTION'],
    [404, 'NOTFOUND'],
    [410, 'GONE'],
    [429, 'EXCEPTION'],
    [500, 'EXCEPTION'],
    [503, 'EXCEPTION'],
  ])('HTTP %i is %s', (http, name) => {
    expect(protocolOfHttp(http)).toBe(PROTOCOL_STATUS[name]);
    expect(protocolName(protocolOfHttp(http))).toBe(name);
  });

  it.each<[ProtocolName, number]>([
    ['SUCCESS', 2],
    ['MOVED', 5],
    ['TEMP_MOVED', 4],
    ['NOTMODIFIED', 6],
    ['GONE', 3],
    ['NOTFOUND', 3],
    ['ACCESS_DENIED', 3],
    ['ROBOTS_DENIED', 3],
    ['EXCEPTION', 34],
    ['RETRY', 34],
    ['BLOCKED', 34],
    ['FAILED', 34],
    ['WOULDBLOCK', 34],
    ['REDIR_EXCEEDED', 34],
  ])('%s gives the page status %i', (name, status) => {
    expect(statusOfProtocol(PROTOCOL_STATUS[name])).toBe(status);
  });

  it('treats an unknown code as a retry', () => {
    expect(statusOfProtocol(999)).toBe(34);
    expect(protocolName(999)).toBe('UNKNOWN');
  });

  it('is written as name and arguments', () => {
    expect(protocolStatusText({ code: 1, args: [] })).toBe('SUCCESS, args=[]');
    expect(protocolStatusText({ code: 12, args: ['http://e.com/'] })).toBe('MOVED, args=[http://e.com/]');
  });
});

describe('the status of a parse (Nutch ParseStatus)', () => {
  it.each([
    [parseSuccess(), 'success/ok (1/0), args=[]'],
    [parseRedirect('http://e.com/', 3), 'success/redirect (1/100), args=[http://e.com/, 3]'],
    [parseFailure(202, 'short'), 'failed/truncated (2/202), args=[short]'],
    [{ major: 0, minor: 0, args: [] }, 'notparsed/ok (0/0), args=[]'],
    [{ major: 7, minor: 7, args: [] }, 'unknown/unknown (7/7), args=[]'],
  ])('%j is written as %s', (status, text) => {
    expect(parseStatusText(status)).toBe(text);
  });
});
