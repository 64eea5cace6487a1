import type { Response } from 'express';

/** A signal that is aborted when the connection closes before the answer was sent. */
function closeOf(response: Response): AbortSignal {
  const close = new AbortController();
  const closed = (): void => void (response.writableFinished || close.abort());
  if (response.closed) closed();
  else response.once('close', closed);
  return close.signal;
}

/** The result of work for a client; undefined, whatever becomes of the work, if the client has disconnected. */
export async function whileConnected<T>(
  response: Response,
  work: (gone: AbortSignal) => Promise<T>,
): Promise<T | undefined> {
  const gone = closeOf(response);
  try {
    return await work(gone);
  } catch (error) {
    if (gone.aborted) return undefined;
    throw error;
  }
}
