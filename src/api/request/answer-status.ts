import type { Response } from 'express';

/**
 * The status of an answer whose connection has ended; `aborted` where that came before the end of the answer. Until its head
 * is written the status is 200, which nobody has said. A stream of events is left by its reader: that is its usual end.
 */
export function answerStatus(response: Response): number | 'aborted' {
  const isEventStream = response.headersSent && response.getHeader('content-type') === 'text/event-stream';
  return response.writableFinished || isEventStream ? response.statusCode : 'aborted';
}
