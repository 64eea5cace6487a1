/**
 * Forwards heavy requests (heavy.ts) to a process beside the API, before their bodies are parsed as JSON, and returns its
 * answer. In that process, and for light requests, the route is handled as any other.
 */
import { type CallHandler, type ExecutionContext, Injectable, type NestInterceptor } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { Request, Response } from 'express';
import { type Observable, of } from 'rxjs';
import { ConfStore } from '../../conf/conf.store.js';
import { principalOf } from '../access/access.js';
import { clientOf } from '../access/client-identity.js';
import { requestIdOf } from '../request/request-id.js';
import { bodyBytes, bodyKindOf } from '../request/body.interceptor.js';
import { whileConnected } from '../request/while-connected.js';
import { KEY_TOKEN_HEADER, MADE_JOB_HEADER, setHeavyJob } from './made-job.js';
import { type HeavyAnswer, MEMORY_HEADER } from './heavy-process.js';
import type { HeavyProcesses } from './heavy-processes.js';
import { HeavyWork } from './heavy-work.js';
import { type HeavyRoute, HEAVY_KEY } from './heavy.js';

/** Headers of an answer that belong to the connection, or are for this process. */
const NOT_FORWARDED = [
  'connection',
  'keep-alive',
  'transfer-encoding',
  'content-length',
  'date',
  MEMORY_HEADER,
  MADE_JOB_HEADER,
  KEY_TOKEN_HEADER,
];

@Injectable()
export class HeavyInterceptor implements NestInterceptor {
  constructor(
    private readonly reflector: Reflector,
    private readonly heavy: HeavyWork,
    private readonly confs: ConfStore,
  ) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const route = this.reflector.get<HeavyRoute | undefined>(HEAVY_KEY, context.getHandler());
    const { processes } = this.heavy;
    if (route === undefined || processes === undefined) return next.handle();
    const request = context.switchToHttp().getRequest<Request>();
    const response = context.switchToHttp().getResponse<Response>();
    const body = await bodyBytes(request, bodyKindOf(this.reflector, context));
    if (await this.isLight(route, request, body)) return next.handle();
    const answer = await this.ask(processes, route, { request, response, body });
    // The client has disconnected.
    if (answer === undefined) return of(undefined);
    for (const [name, value] of Object.entries(answer.headers)) {
      if (value !== undefined && !NOT_FORWARDED.includes(name)) response.setHeader(headerName(name), value);
    }
    const job = answer.headers[MADE_JOB_HEADER];
    if (answer.status === 200 && typeof job === 'string') {
      const token = answer.headers[KEY_TOKEN_HEADER];
      setHeavyJob(request, { id: job, keyToken: token === undefined ? undefined : Number(token) });
      return next.handle();
    }
    if (answer.status === 200 && answer.headers['content-type'] !== undefined) return of(answer.body);
    response.statusCode = answer.status;
    response.setHeader('Content-Length', answer.body.length);
    response.end(answer.body);
    return of(undefined);
  }

  private async isLight(route: HeavyRoute, request: Request, body: Buffer): Promise<boolean> {
    if (!route.isHeavy || (await route.isHeavy({ request, body, confs: this.confs }))) return false;
    return !route.changes || this.heavy.takesChange(clientOf(request).id);
  }

  private ask(
    processes: HeavyProcesses,
    { workClass }: HeavyRoute,
    { request, response, body }: { request: Request; response: Response; body: Buffer },
  ): Promise<HeavyAnswer | undefined> {
    const { method, originalUrl: url } = request;
    const headers = { ...request.headers, 'x-request-id': requestIdOf(response) };
    const heavyRequest = { method, url, headers, body, principal: principalOf(request)! };
    return whileConnected(response, (gone) => processes.run(workClass, clientOf(request), heavyRequest, gone));
  }
}

/** Capitalizes `orbweaver-notice` as `Orbweaver-Notice`. */
const headerName = (name: string): string => name.replaceAll(/(^|-)[a-z]/g, (letter) => letter.toUpperCase());
