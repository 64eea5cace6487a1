/**
 * Answers in the form of NutchServer 2.x. The client of its web UI reads the answer of POST /job/create as the plain id, and jobs
 * with a mapper that knows the eight fields of a JobInfo and fails on others.
 */
import type { Request } from 'express';
import type { JobInfo } from './job.dto.js';

/**
 * Whether `Accept` shows that a client is one of 2.x: it accepts text and no JSON, or prefers HTML to JSON, which is what Java
 * sends by default (`text/html, image/gif, image/jpeg, ...`). A browser also accepts HTML, but XHTML, too.
 */
export function reads2x(request: Request): boolean {
  // Also with parameters, which `accepts` treats as another type.
  if (/\bapplication\/json\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(request.headers.accept ?? '')) return false;
  if (!request.accepts('application/json')) return request.accepts('text/plain') !== false;
  const isBrowser = request.headers.accept?.includes('application/xhtml+xml') ?? false;
  return !isBrowser && request.accepts(['application/json', 'text/html']) === 'text/html';
}

/** Converts a job for this client: unchanged, or only the fields of NutchServer. */
export const jobFor = (request: Request): (<J extends JobInfo>(job: J) => J | PlainJobInfo) =>
  reads2x(request) ? plainInfo : (job) => job;

type PlainJobInfo = Pick<JobInfo, 'id' | 'type' | 'confId' | 'args' | 'result' | 'state' | 'msg' | 'crawlId'>;

function plainInfo({ id, type, confId, args, result, state, msg, crawlId }: JobInfo): PlainJobInfo {
  return { id, type, confId, args, result, state, msg, crawlId };
}
