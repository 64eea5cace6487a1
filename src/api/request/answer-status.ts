import type { Response } from 'express';

/**
 * The status of an answer whose connection has closed; `aborted` if that happened before the end of the answer: the default
 * status 200 of an unsent head must not be logged. An event stream normally ends with a disconnect of its client.
 */
export function answerStatus(response: Response): number | 'aborted' {
  const isEventStream = response.headersSent && response.getHeader('content-type') === 'text/event-stream';
  return response.writableFinished || isEventStream ? response.statusCode : 'aborted';
}
