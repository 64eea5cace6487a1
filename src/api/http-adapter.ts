/**
 * Express, with three differences.
 *
 * Content types are sent as `application/json` and `text/plain`, without a charset: the best-known client of NutchServer
 * compares the whole string and fails on any other. Bodies are not read here (see request/body.interceptor.ts).
 * And connections are bounded: 16 KiB of headers within 10 s, a whole request within 30 s, 2 min without a byte while an
 * answer is sent; for too many of them see access/connections.ts.
 */
import { type Server, createServer } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import express, { type Response } from 'express';
import { clientOf } from './access/client-identity.js';
import { type ConnectionLimits, Connections } from './access/connections.js';
import { AnswerBudget } from './answer/answer-budget.js';
import { answerMalformed } from './request/malformed.js';
import { serverLimits } from './request/server-limits.js';

/** Time without a byte in either direction while a request is answered: the client does not read. */
const MAX_SILENCE_MS = 120_000;
/** Connections that may wait to be accepted: with Node's 511, a thousand simultaneous ones may overflow the queue. */
const BACKLOG = 4_096;

export class HttpAdapter extends ExpressAdapter {
  readonly answers = new AnswerBudget();
  /** The connections of the server; set when Nest has created it. */
  connections: Connections | undefined;

  constructor(
    private readonly limits?: ConnectionLimits,
    private readonly maxSilenceMs = MAX_SILENCE_MS,
  ) {
    const instance = express();
    // Paths are case-sensitive: /ADMIN is not /admin.
    instance.set('case sensitive routing', true);
    instance.set('x-powered-by', false);
    instance.set('query parser', 'simple');
    super(instance);
  }

  override initHttpServer(): void {
    const server = createServer(serverLimits, this.getInstance());
    server.timeout = this.maxSilenceMs;
    this.connections = new Connections(server, this.limits);
    answerMalformed(server);
    this.httpServer = server;
  }

  override listen(port: string | number, host?: string | (() => void), listening?: () => void): Server {
    const [address, done] = typeof host === 'function' ? [undefined, host] : [host, listening];
    return this.httpServer.listen({ port: Number(port), host: address, backlog: BACKLOG }, done);
  }

  /** Sets the value as given: Express would add a charset to a content type. */
  override setHeader(response: Response, name: string, value: string): unknown {
    return response.setHeader(name, value);
  }

  override reply(response: Response, body: unknown, status?: number): unknown {
    if (body instanceof StreamableFile) return super.reply(response, body, status);
    if (status !== undefined) response.statusCode = status;
    if (response.headersSent) return response;
    const bytes = sentBytes(body);
    if (bytes.length > 0 && !response.hasHeader('Content-Type')) {
      response.setHeader('Content-Type', typeof body === 'string' ? 'text/plain' : 'application/json');
    }
    response.setHeader('Content-Length', bytes.length);
    this.answers.add(response, bytes.length, clientOf(response.req).kind === 'admin key');
    return response.end(bytes);
  }
}

/** Text is sent as it is, undefined as an empty body, everything else as JSON, including null. */
function sentBytes(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body;
  if (body === undefined) return Buffer.alloc(0);
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body));
}
