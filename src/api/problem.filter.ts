/**
 * Turns errors of a request into the answer that clients receive: problem+json (RFC 9457) with a code of the catalogue
 * (problem.ts). An unexpected error becomes a 500, whose cause is only in the log.
 */
import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import {
  type ArgumentsHost,
  Catch,
  type ExceptionFilter,
  HttpException,
  Injectable,
  Logger,
  NotFoundException,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { ConfRefused } from '../conf/conf-texts.js';
import { ConnectionsTaken } from '../db/connection-limits.js';
import { hasSqlState } from '../db/sql-state.js';
import { failureWords, isTransient, isUpToOthers } from '../db/transient.js';
import { PluginError } from '../plugin/external-guard.js';
import { noticesOf } from './request/notice.js';
import { oneLine } from './request/one-line.js';
import { requestIdOf } from './request/request-id.js';
import { ApiDescription } from './openapi/api-description.js';
import {
  Problem,
  confInvalid,
  connectionsTaken,
  dataLocked,
  databaseUnavailable,
  documentOf,
  internalError,
  methodNotAllowed,
  queryTooLong,
  requestMalformed,
  routeUnknown,
  withOptions,
} from './problem.js';

/** Answers with a problem; if the answer has already begun, closes the connection, so that no client takes it for complete. */
export function answerProblem(response: ServerResponse, problem: Problem): void {
  if (response.headersSent) {
    response.destroy();
    return;
  }
  // The log has more about errors of the server, under this id.
  const requestId = problem.status >= 500 ? requestIdOf(response) : undefined;
  const notice = problem.status < 500 ? noticesOf(response) : undefined;
  const document = { ...documentOf(problem), ...(notice && { notice }), ...(requestId && { requestId }) };
  const body = Buffer.from(JSON.stringify(document));
  for (const [name, value] of Object.entries(problem.options.headers ?? {})) response.setHeader(name, value);
  response.statusCode = problem.status;
  response.setHeader('Content-Type', 'application/problem+json');
  response.setHeader('Content-Length', body.length);
  response.end(body);
}

/** Turns any thrown value into a problem of the catalogue. Others are logged and answered as INTERNAL_ERROR. */
@Injectable()
@Catch()
export class ProblemFilter implements ExceptionFilter {
  private readonly logger = new Logger('api');

  constructor(private readonly api: ApiDescription) {}

  catch(error: unknown, host: ArgumentsHost): void {
    const http = host.switchToHttp();
    answerProblem(http.getResponse<Response>(), this.problemOf(error, http.getRequest<Request>()));
  }

  private problemOf(error: unknown, request: Request): Problem {
    if (error instanceof Problem) return error;
    if (error instanceof ConfRefused) return confRefused(error);
    // A plugin may fail for a configuration that it accepted when it was sent.
    if (error instanceof PluginError) return confInvalid(error.message);
    // No code of ours throws NotFoundException: Nest does when no route matches.
    if (error instanceof NotFoundException) return this.noRoute(request);
    if (error instanceof HttpException && error.getStatus() < 500) return requestMalformed(firstLine(error.message));
    if (error instanceof ConnectionsTaken) return connectionsTaken();
    if (hasSqlState(error, 'LOCK_NOT_AVAILABLE')) return dataLocked();
    if (hasSqlState(error, 'QUERY_CANCELED')) return queryTooLong();
    // Its disk is full, it takes no writes: somebody has to act, and needs the reason.
    if (isUpToOthers(error)) return databaseUnavailable(firstLine(failureWords(error)));
    if (isTransient(error)) return databaseUnavailable();
    if (hasSqlState(error, 'BAD_CHARACTER')) return requestMalformed('a string in it contains a NUL character');
    const reference = (request.res && requestIdOf(request.res)) ?? randomUUID();
    this.logger.error(
      `${reference}: ${oneLine(error instanceof Error ? (error.stack ?? error.message) : String(error))}`,
    );
    return internalError(reference);
  }

  private noRoute(request: Request): Problem {
    const methods = this.api.methodsAt(request.path);
    if (methods.length === 0 || methods.includes(request.method)) return routeUnknown(request.method, request.path);
    const allowed = methods.join(', ');
    return withOptions(methodNotAllowed(request.method, allowed), { headers: { Allow: allowed } });
  }
}

function confRefused(error: ConfRefused): Problem {
  const errors = error.refused.map(({ property, message }) => ({ field: property, message }));
  return withOptions(confInvalid(error.message), errors.length > 0 ? { errors } : {});
}

const firstLine = (message: string) => message.split('\n')[0]?.slice(0, 200) ?? '';
