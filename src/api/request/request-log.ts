/** Log entries of the API: Nest's own messages, and requests (all at `debug`, failures of the server at `warn`). */
import type { LoggerService } from '@nestjs/common';
import type { NextFunction, Request, Response } from 'express';
import type { Logger } from 'pino';
import { MASK } from '../../core/conf/properties.js';
import { maskedUserInfo } from '../../core/url/url-credentials.js';
import { clientName } from '../access/access.js';
import { answerStatus } from './answer-status.js';
import { requestIdOf } from './request-id.js';

/** Nest's logger interface over pino. Nest's level `log` is only of interest for debugging. */
export const nestLog = (log: Logger): LoggerService => ({
  log: (message: unknown) => log.debug(String(message)),
  debug: (message: unknown) => log.debug(String(message)),
  verbose: (message: unknown) => log.trace(String(message)),
  warn: (message: unknown) => log.warn(String(message)),
  error: (message: unknown, ...more: unknown[]) => log.error({ more: more.map(String) }, String(message)),
  fatal: (message: unknown) => log.fatal(String(message)),
});

/** Middleware that logs each answer. Paths are logged without their query and the user info of URLs: private data. */
export function logRequests(log: Logger) {
  return (request: Request, response: Response, next: NextFunction): void => {
    const begun = performance.now();
    const { method, path } = request;
    response.on('close', () => {
      const level = response.statusCode >= 500 ? 'warn' : 'debug';
      if (!log.isLevelEnabled(level)) return;
      const ms = Math.round(performance.now() - begun);
      const about = {
        requestId: requestIdOf(response),
        method,
        path: maskedUserInfo(path, MASK),
        status: answerStatus(response),
        ms,
        client: clientName(request),
      };
      log[level](about, response.writableFinished ? 'answered' : 'the connection ended before the end of the answer');
    });
    next();
  };
}
