/** Who sends a request, as the limits per client count it. */
import type { NextFunction, Request, Response } from 'express';
import type { LimitedClient } from '../../core/queueing/client-limits.js';
import { asLimitedClient } from '../../db/connection-limits.js';
import { clientName, principalOf } from './access.js';

export const clientOf = (request: Request): LimitedClient => {
  const principal = principalOf(request);
  const kind = principal?.scope === 'admin' ? 'admin key' : 'key';
  return { id: clientName(request), kind: principal?.byKey ? kind : 'address' };
};

/** The name of the key or user that sends the request; undefined on a server without keys. */
export const keyNameOf = ({ id, kind }: LimitedClient): string | undefined => (kind === 'address' ? undefined : id);

/** Middleware: requests of a key without scope `admin` use no more database connections than one key is allowed. */
export function limitConnections(request: Request, _response: Response, next: NextFunction): void {
  const { id, kind } = clientOf(request);
  if (kind === 'key') asLimitedClient(id, next);
  else next();
}
