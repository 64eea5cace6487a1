/** Declares heavy routes: their requests run in a process beside the API when they may take more than some milliseconds. */
import { SetMetadata, applyDecorators } from '@nestjs/common';
import type { Request } from 'express';
import { DEFAULT_CONF_ID } from '../../conf/conf-reading.js';
import { type ConfStore } from '../../conf/conf.store.js';
import { isPlain } from '../../core/conf/plain-params.js';
import { Problems } from '../openapi/problem-answers.js';
import { type WorkClass, DEFAULT_HEAVY } from './heavy-processes.js';
import { heavyBusy, heavyEnded, heavyTooLong } from './heavy.problems.js';

/** A request before it is handled. */
export interface UnhandledRequest {
  readonly request: Request;
  readonly body: Buffer;
  readonly confs: ConfStore;
}

/** Decides whether a request may take long. */
export type HeavyTest = (unhandled: UnhandledRequest) => Promise<boolean> | boolean;

export interface HeavyRoute {
  readonly workClass: WorkClass;
  /** Without it each request of the route counts as one that may take long. */
  readonly isHeavy?: HeavyTest;
  /** Whether it changes what the API checks: only some light requests a second of one client stay light. */
  readonly changes?: boolean;
}

export const HEAVY_KEY = 'api:heavy';

/** A route whose requests may take long. */
export const Heavy = (workClass: WorkClass, isHeavy?: HeavyTest, changes = false) =>
  applyDecorators(
    SetMetadata(HEAVY_KEY, { workClass, changes, ...(isHeavy && { isHeavy }) } satisfies HeavyRoute),
    Problems(
      heavyBusy(2, ' of this key'),
      heavyTooLong(DEFAULT_HEAVY[workClass].seconds),
      heavyEnded('ended (exit code 1)'),
    ),
  );

/** Bytes of a body that is parsed, checked and stored within milliseconds, whatever it contains. */
const SHORT_BODY_BYTES = 65_536;

/** Bytes of plain values of a configuration that are checked within milliseconds. */
const SHORT_PARAMS_BYTES = 4_096;

/** Bodies of many lines. */
export const largeBody: HeavyTest = ({ body }) => body.length > SHORT_BODY_BYTES;

/** Bodies of many lines, or a configuration with rules, which are compiled and applied. */
export const largeBodyOrConf: HeavyTest = async ({ body, confs }) =>
  body.length > SHORT_BODY_BYTES || !(await confs.appliesFast(confIdOf(bodyFields(body))));

/**
 * Short bodies that request one page or statistics under a configuration with rules. Lists are not heavy: the API itself
 * produces a streamed answer piece by piece.
 */
export const singleAnswerOfLargeConf: HeavyTest = async ({ body, confs }) => {
  const fields = body.length > SHORT_BODY_BYTES ? {} : bodyFields(body);
  return (fields['type'] === 'url' || fields['type'] === 'stats') && !(await confs.appliesFast(confIdOf(fields)));
};

/** A large configuration, named in the path (`id`) or in the query (`confId`), whose rules are not applied. */
export const largeConf: HeavyTest = async ({ request, confs }) => {
  const id = confNamed(request);
  return id !== undefined && !(await confs.readsFast(id));
};

/** A configuration with rules, named in the query. */
export const confWithRules: HeavyTest = async ({ request, confs }) => {
  const id = confNamed(request);
  return id !== undefined && !(await confs.appliesFast(id));
};

/** A new configuration that is not short and plain, or that starts from one that is not. */
export const largeNewConf: HeavyTest = async ({ body, confs }) => {
  if (body.length > SHORT_PARAMS_BYTES) return true;
  const { configId, params = {} } = bodyFields(body);
  if (typeof params !== 'object' || params === null || !isPlain({ ...params })) return true;
  const isNamed = typeof configId === 'string' || typeof configId === 'number';
  return !(await allPlain(confs, [DEFAULT_CONF_ID, ...(isNamed ? [String(configId)] : [])]));
};

/** A value of a property that is not short and plain, or of a configuration that is not. */
export const largeChange: HeavyTest = async ({ request, body, confs }) => {
  const { id, property } = request.params;
  if (body.length > SHORT_PARAMS_BYTES || typeof id !== 'string' || typeof property !== 'string') return true;
  // The raw body: a value in a JSON object, or with percent-encoding, is not plain.
  if (body.includes('%') || !isPlain({ [property]: body.toString() })) return true;
  return !(await allPlain(confs, [DEFAULT_CONF_ID, id]));
};

async function allPlain(confs: ConfStore, ids: readonly string[]): Promise<boolean> {
  for (const id of ids) if (!(await confs.isPlain(id))) return false;
  return true;
}

/** The configuration that a path or query names; undefined if that is not a string. */
function confNamed({ params, query }: Request): string | undefined {
  const id = params['id'] ?? query['confId'] ?? DEFAULT_CONF_ID;
  return typeof id === 'string' ? id : undefined;
}

const confIdOf = ({ confId }: Record<string, unknown>): string =>
  typeof confId === 'string' ? confId : DEFAULT_CONF_ID;

/** The fields of a short body; the handler reports its errors. */
function bodyFields(body: Buffer): Record<string, unknown> {
  try {
    // TextDecoder removes a byte order mark, as the handler does.
    return { ...(JSON.parse(new TextDecoder().decode(body)) as object) };
  } catch {
    return {};
  }
}
