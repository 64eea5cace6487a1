/** Converts the body of `PATCH /v1/hosts/{host}` into the columns to write, and the given host into its key. */
import { DAY_MS } from '../../core/day.js';
import { parseDatetime } from '../../core/w3c-datetime.js';
import { reverseHost } from '../../core/url/row-key.js';
import type { Sql } from '../../db/sql.js';
import type { HostChange } from '../../politeness/host-settings.store.js';
import { shown } from '../problem.js';
import { fieldRefused, valueRefused } from '../refused-fields.js';
import type { HostChanges } from './host.dto.js';
import { knownHostKey } from './host-key.js';

/** A longer block is taken for a mistake. */
const MAX_BLOCK_MS = 10 * 366 * DAY_MS;
const MAX_NAME_LENGTH = 253;
/** Longer text is refused unparsed. A name whose letters are all percent-encoded (`%61`) is three times as long. */
const MAX_GIVEN_LENGTH = 4 * MAX_NAME_LENGTH;

/** @param now epoch ms. Throws FIELDS_INVALID. */
export function changeOf(changes: HostChanges, now: number): HostChange {
  const { delaySeconds, minDelaySeconds, blockedUntil, threads, drain } = changes;
  const change: HostChange = {
    ...(blockedUntil !== undefined && { blockedUntil: blockedUntil === null ? null : blockEndOf(blockedUntil, now) }),
    ...(delaySeconds !== undefined && { delayMs: inMs(delaySeconds) }),
    ...(minDelaySeconds !== undefined && { minDelayMs: inMs(minDelaySeconds) }),
    ...(threads !== undefined && { threads }),
    ...(drain !== undefined && { drain }),
  };
  if (Object.keys(change).length > 0) return change;
  throw fieldRefused('', 'The body must have one of blockedUntil, delaySeconds, minDelaySeconds, threads, drain');
}

const inMs = (seconds: number | null): number | null => (seconds === null ? null : Math.round(seconds * 1000));

function blockEndOf(text: string, now: number): Date {
  const time = parseDatetime(text) ?? NaN;
  if (time > now && time <= now + MAX_BLOCK_MS) return new Date(time);
  const given = `(given: ${shown(text)})`;
  const message = Number.isNaN(time)
    ? `blockedUntil must be a date and time that exists ${given}`
    : `blockedUntil must be in the future, at most ten years ahead ${given}`;
  throw fieldRefused('blockedUntil', message);
}

/**
 * The reversed host that was named: a host of the crawl, as in URLs or reversed, or a new one, as in URLs.
 * @param crawl undefined: nothing was written to it yet. Throws FIELDS_INVALID for text that cannot be the host of a URL.
 */
export async function keyToChange(db: Sql, crawl: number | undefined, name: string): Promise<string> {
  const isText = name.length <= MAX_GIVEN_LENGTH && !name.includes('\0');
  const known = crawl === undefined || !isText ? undefined : await knownHostKey(db, crawl, name);
  const key = known ?? (isText ? newHostKey(name) : null);
  if (key === null) throw valueRefused('host', name, 'a host name or an address, without port');
  return key;
}

function newHostKey(text: string): string | null {
  if (!/^(?:[^\s/?#@\\:[\]]+|\[[\da-f:.]+\])$/i.test(text)) return null;
  const name = URL.parse(`http://${text}/`)?.hostname.replace(/\.$/, '') ?? '';
  return name === '' || name.length > MAX_NAME_LENGTH ? null : reverseHost(name);
}
