/** Which routes are heavy: what they do is done by a process beside the API when it may take more than some milliseconds. */
import { SetMetadata, applyDecorators } from '@nestjs/common';
import type { Request } from 'express';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { type ConfStore } from '../../conf/conf.store.js';
import { isPlain } from '../../conf/plain-params.js';
import { Problems } from '../openapi/problem-answers.js';
import { type WorkClass, DEFAULT_HEAVY } from './heavy-processes.js';
import { heavyBusy, heavyEnded, heavyTooLong } from './heavy.problems.js';

/** What is known of a request before it is worked on. */
export interface Weighed {
  readonly request: Request;
  readonly body: Buffer;
  readonly confs: ConfStore;
}

/** Whether a request may take long. */
export type Weigh = (weighed: Weighed) => Promise<boolean> | boolean;

export interface HeavyRoute {
  readonly workClass: WorkClass;
  /** Without it each request of the route counts as one that may take long. */
  readonly weigh?: Weigh;
}

export const HEAVY_KEY = 'api:heavy';

/** A route whose requests may take long. */
export const Heavy = (workClass: WorkClass, weigh?: Weigh) =>
  applyDecorators(
    SetMetadata(HEAVY_KEY, { workClass, ...(weigh && { weigh }) } satisfies HeavyRoute),
    Problems(
      heavyBusy(2, ' of this key'),
      heavyTooLong(DEFAULT_HEAVY[workClass].seconds),
      heavyEnded('ended (exit code 1)'),
    ),
  );

/** Bytes of a body that is read, checked and stored within milliseconds, whatever it says. */
const SHORT_BODY = 65_536;

/** Bytes of the values of a configuration that are checked within milliseconds, where they are plain. */
const SHORT_PARAMS = 4_096;

/** Bodies of many lines. */
export const largeBody: Weigh = ({ body }) => body.length > SHORT_BODY;

/** Bodies of many lines, or a configuration with rules, which are compiled and asked. */
export const largeBodyOrConf: Weigh = async ({ body, confs }) =>
  body.length > SHORT_BODY || !(await confs.isShort(confIdOf(fieldsOf(body))));

/** The same of a short body that asks for one page or for statistics: what is streamed is made piece by piece, and not beside the API. */
export const oneOfLargeConf: Weigh = async ({ body, confs }) => {
  const asked = body.length > SHORT_BODY ? {} : fieldsOf(body);
  return (asked['type'] === 'url' || asked['type'] === 'stats') && !(await confs.isShort(confIdOf(asked)));
};

/** A large configuration, named in the path (`id`) or in the query (`confId`), of which the rules are not asked. */
export const largeConf: Weigh = async ({ request, confs }) => {
  const id = confNamed(request);
  return id !== undefined && !(await confs.isSmall(id));
};

/** A configuration with rules, named in the query. */
export const confWithRules: Weigh = async ({ request, confs }) => {
  const id = confNamed(request);
  return id !== undefined && !(await confs.isShort(id));
};

/** A new configuration that is not short and plain, or would be laid over one that is not. */
export const largeNewConf: Weigh = async ({ body, confs }) => {
  if (body.length > SHORT_PARAMS) return true;
  const { configId, params = {} } = fieldsOf(body);
  if (typeof params !== 'object' || params === null || !isPlain({ ...params })) return true;
  const isNamed = typeof configId === 'string' || typeof configId === 'number';
  return !(await allPlain(confs, [DEFAULT_CONF_ID, ...(isNamed ? [String(configId)] : [])]));
};

/** A value of a property that is not short and plain, or of a configuration that is not. */
export const largeChange: Weigh = async ({ request, body, confs }) => {
  const { id, property } = request.params;
  if (body.length > SHORT_PARAMS || typeof id !== 'string' || typeof property !== 'string') return true;
  // The body as it came: what is wrapped in an object, or may hide signs in escapes, is not plain.
  if (body.includes('%') || !isPlain({ [property]: body.toString() })) return true;
  return !(await allPlain(confs, [DEFAULT_CONF_ID, id]));
};

async function allPlain(confs: ConfStore, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) if (!(await confs.isPlain(id))) return false;
  return true;
}

/** The configuration of a path or query; undefined for what is none. */
function confNamed({ params, query }: Request): string | undefined {
  const id = params['id'] ?? query['confId'] ?? DEFAULT_CONF_ID;
  return typeof id === 'string' ? id : undefined;
}

const confIdOf = ({ confId }: Record<string, unknown>): string =>
  typeof confId === 'string' ? confId : DEFAULT_CONF_ID;

/** The fields of a short body; what is wrong with it is said by who reads it. */
function fieldsOf(body: Buffer): Record<string, unknown> {
  try {
    // Without a byte order mark, as it is read later.
    return { ...(JSON.parse(new TextDecoder().decode(body)) as object) };
  } catch {
    return {};
  }
}
