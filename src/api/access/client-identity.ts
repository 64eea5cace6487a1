/** Who sends a request, as the limits per client count it. */
import type { NextFunction, Request, Response } from 'express';
import type { Asker } from '../../core/queueing/client-limits.js';
import { asLimitedClient } from '../../db/connection-limits.js';
import { clientName, principalOf } from './access.js';

export const askerOf = (request: Request): Asker => {
  const principal = principalOf(request);
  const kind = principal?.scope === 'admin' ? 'admin key' : 'key';
  return { client: clientName(request), kind: principal?.byKey ? kind : 'address' };
};

/** The name of the key or user that sends the request; undefined on a server without keys. */
export const keyNameOf = ({ client, kind }: Asker): string | undefined => (kind === 'address' ? undefined : client);

/** Middleware: requests of a key without scope `admin` use no more database connections than one key is allowed. */
export function limitConnections(request: Request, _response: Response, next: NextFunction): void {
  const { client, kind } = askerOf(request);
  if (kind === 'key') asLimitedClient(client, next);
  else next();
}
