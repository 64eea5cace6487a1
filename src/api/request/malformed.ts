/**
 * Refuses what never becomes a request: bytes that are not HTTP, heads that are too large or too slow, unknown expectations.
 * Node would answer with only a status line; here the answer is a problem document.
 */
import { type IncomingMessage, STATUS_CODES, type Server, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { answerProblem } from '../problem.filter.js';
import {
  type Problem,
  documentOf,
  expectationFailed,
  headTooLarge,
  requestMalformed,
  requestTooSlow,
  shown,
} from '../problem.js';
import { serverLimits } from './server-limits.js';

/** Makes the server answer malformed requests with problems. */
export function answerMalformed(server: Server): void {
  const begun = new WeakMap<Socket, ServerResponse>();
  server.on('request', (request: IncomingMessage, response: ServerResponse) => begun.set(request.socket, response));
  server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) =>
    answerProblem(response, expectationFailed(request.headers.expect ?? '')),
  );
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Socket) => {
    const response = begun.get(socket);
    const midAnswer = response !== undefined && response.headersSent && !response.writableFinished;
    if (!socket.writable || midAnswer || error.code === 'ECONNRESET') socket.destroy();
    else socket.end(wire(problemOf(error)), () => socket.destroy());
  });
}

function problemOf(error: NodeJS.ErrnoException & { reason?: string }): Problem {
  if (error.code === 'HPE_HEADER_OVERFLOW') return headTooLarge(serverLimits.maxHeaderSize);
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT') {
    const { headersTimeout, requestTimeout } = serverLimits;
    return requestTooSlow(headersTimeout / 1_000, requestTimeout / 1_000);
  }
  if (error.code === 'HPE_INVALID_METHOD') return requestMalformed('its method is not one of HTTP, in upper case');
  return requestMalformed(`it is not HTTP/1.1 (${shown(error.reason ?? error.message).slice(1, -1)})`);
}

/** The answer as text of HTTP: there is no response object. */
function wire(problem: Problem): string {
  const body = JSON.stringify(documentOf(problem));
  const head = [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status] ?? ''}`,
    'Content-Type: application/problem+json',
    `Content-Length: ${Buffer.byteLength(body)}`,
    'X-Content-Type-Options: nosniff',
    'Connection: close',
  ];
  return `${head.join('\r\n')}\r\n\r\n${body}`;
}
