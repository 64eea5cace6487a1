/**
 * The result of parsing a page: a major code (not parsed, success, failed), a minor code with the reason, and arguments
 * (Nutch `ParseStatusCodes`). A page with a meta refresh to another URL is a success with minor code 100.
 */
import { urlWithoutUserInfo } from '../url/url-credentials.js';

export const PARSE_MAJOR = { notparsed: 0, success: 1, failed: 2 } as const;

export const PARSE_MINOR = {
  ok: 0,
  redirect: 100,
  exception: 200,
  truncated: 202,
  invalid_format: 203,
  missing_parts: 204,
  missing_content: 205,
} as const;

/** `args` of a redirect: the target URL and the delay in seconds; of a failure: its reason. */
export interface ParseStatus {
  readonly major: number;
  readonly minor: number;
  readonly args: readonly string[];
}

const MAJOR_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(PARSE_MAJOR).map(([name, code]) => [code, name]),
);
const MINOR_NAMES: ReadonlyMap<number, string> = new Map(
  Object.entries(PARSE_MINOR).map(([name, code]) => [code, name]),
);

export function parseSuccess(): ParseStatus {
  return { major: PARSE_MAJOR.success, minor: PARSE_MINOR.ok, args: [] };
}

/** A parse that found a meta refresh to `url` after `seconds`. */
export function parseRedirect(url: string, seconds: number): ParseStatus {
  const args = [urlWithoutUserInfo(url), String(seconds)];
  return { major: PARSE_MAJOR.success, minor: PARSE_MINOR.redirect, args };
}

export function parseFailure(minor: number, reason: string): ParseStatus {
  return { major: PARSE_MAJOR.failed, minor, args: [reason] };
}

/** The text form in `/db`: `success/ok (1/0), args=[]`. */
export function parseStatusText(status: ParseStatus): string {
  const major = MAJOR_NAMES.get(status.major) ?? 'unknown';
  const minor = MINOR_NAMES.get(status.minor) ?? 'unknown';
  return `${major}/${minor} (${status.major}/${status.minor}), args=[${status.args.join(', ')}]`;
}

/** The text form of 1.x: `success(1,0)`, `failed(2,200): reason`. */
export function parseCodesText({ major, minor, args }: ParseStatus): string {
  const words = args.length === 0 ? '' : `: ${args.join(', ')}`;
  return `${MAJOR_NAMES.get(major) ?? 'unknown'}(${major},${minor})${words}`;
}
