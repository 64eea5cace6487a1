/**
 * Limits of what is scarce and given for long: event streams, large answers, memory for bodies, webhooks, waiting jobs.
 *
 * A key that is no admin's has a limit of its own, and all of these keys together leave some to admins. So however many keys
 * take what they can, an admin gets in. On a server without keys there is nobody to leave it to: the limit of the whole holds.
 */
import type { NextFunction, Request, Response } from 'express';
import { asLimitedClient } from '../../db/connection-limits.js';
import { clientOf, principalOf } from './access.js';

/** Who asks, as limits see it. */
export interface Asker {
  /** A key, or everybody at one address. */
  readonly client: string;
  readonly kind: 'admin key' | 'key' | 'address';
}

export const askerOf = (request: Request): Asker => {
  const principal = principalOf(request);
  const kind = principal?.scope === 'admin' ? 'admin key' : 'key';
  return { client: clientOf(request), kind: principal?.byKey ? kind : 'address' };
};

/** The name of the key or user that asks; undefined on a server without keys. */
export const keyNameOf = ({ client, kind }: Asker): string | undefined => (kind === 'address' ? undefined : client);

/** A middleware: what a key that is no admin's asks for gets no more connections to the database than one key may have. */
export function limitConnections(request: Request, _response: Response, next: NextFunction): void {
  const { client, kind } = askerOf(request);
  if (kind === 'key') asLimitedClient(client, next);
  else next();
}

export interface ClientLimits {
  /** Of all. */
  readonly max: number;
  /** Of one key that is no admin's. */
  readonly maxPerKey: number;
  /** Part of `max` that keys leave to admin keys. */
  readonly reserved: number;
  /** Of one address, on a server without keys; without it `max` alone counts. */
  readonly maxPerAddress?: number;
}

/** What is taken: by all, by all keys that are no admin's, by the client that asks. */
export interface Taken {
  readonly all: number;
  readonly keys: number;
  readonly own: number;
}

/**
 * The limit that is reached, or undefined where one more is to be given.
 * The first of an admin key is given always: beyond `max` there is at most one for each admin key.
 */
export function limitReached(
  { kind }: Asker,
  { all, keys, own }: Taken,
  limits: ClientLimits,
): 'all' | 'own' | undefined {
  if (kind === 'admin key') return own > 0 && all >= limits.max ? 'all' : undefined;
  if (own >= ((kind === 'key' ? limits.maxPerKey : limits.maxPerAddress) ?? Infinity)) return 'own';
  return all >= limits.max || (kind === 'key' && keys >= limits.max - limits.reserved) ? 'all' : undefined;
}

/** Counts those that hold something. */
export function takenBy(asker: Asker, holders: Iterable<Asker>): Taken {
  const taken = { all: 0, keys: 0, own: 0 };
  for (const { client, kind } of holders) {
    taken.all += 1;
    if (kind === 'key') taken.keys += 1;
    if (client === asker.client) taken.own += 1;
  }
  return taken;
}
