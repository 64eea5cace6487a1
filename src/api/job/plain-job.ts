/**
 * What NutchServer 2.x answers. The client of its web UI reads the answer of POST /job/create as the bare id, and jobs with a
 * mapper that knows the eight fields of a JobInfo and stumbles over more.
 */
import type { Request } from 'express';
import type { JobInfo } from './job.dto.js';

/**
 * Whether a client is told from its `Accept` to be one of 2.x: it takes text and no JSON, or HTML rather than JSON, which is
 * what Java sends by itself (`text/html, image/gif, image/jpeg, ...`). A browser asks for HTML too, and for XHTML.
 */
export function reads2x(request: Request): boolean {
  // Also with parameters, which `accepts` takes for another type.
  if (/\bapplication\/json\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(request.headers.accept ?? '')) return false;
  if (!request.accepts('application/json')) return request.accepts('text/plain') !== false;
  const isBrowser = request.headers.accept?.includes('application/xhtml+xml') ?? false;
  return !isBrowser && request.accepts(['application/json', 'text/html']) === 'text/html';
}

/** How this client is shown a job: as it is, or in the fields of NutchServer. */
export const jobFor = (request: Request): (<J extends JobInfo>(job: J) => J | PlainJobInfo) =>
  reads2x(request) ? plain : (job) => job;

type PlainJobInfo = Pick<JobInfo, 'id' | 'type' | 'confId' | 'args' | 'result' | 'state' | 'msg' | 'crawlId'>;

function plain({ id, type, confId, args, result, state, msg, crawlId }: JobInfo): PlainJobInfo {
  return { id, type, confId, args, result, state, msg, crawlId };
}
