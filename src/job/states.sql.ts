/**
 * The states of jobs, tasks and webhooks in statements, as literals, so that partial indexes such as `job_open` and
 * `job_lock` can be used.
 */
import { begunStates, endingStates, finalStates, openStates } from '../core/job/job-states.js';
import { type TaskState, mayMoveTask } from '../core/job/task-states.js';
import type { DeliveryState, WebhookState } from '../core/job/webhook-states.js';
import { type Fragment, fragment, literal, literals } from '../db/sql.js';

/** Lists of states of jobs: `state in ${OPEN}`. */
export const OPEN = literals(openStates);
export const BEGUN = literals(begunStates);
export const ENDING = literals(endingStates);
export const FINAL = literals(finalStates);

/** `state = ${WEBHOOK.ACTIVE}` */
export const WEBHOOK: Readonly<Record<WebhookState, Fragment>> = { ACTIVE: literal('ACTIVE'), OFF: literal('OFF') };
export const DELIVERY: Readonly<Record<DeliveryState, Fragment>> = {
  WAITING: literal('WAITING'),
  DELIVERED: literal('DELIVERED'),
  DEAD: literal('DEAD'),
};

/** An arrow for a statement: the assignments, and the condition for its WHERE. Throws if there is none. */
export function taskMove(from: TaskState, to: TaskState) {
  if (!mayMoveTask(from, to)) throw new Error(`A task never moves from ${from} to ${to}.`);
  return { from: fragment`state = ${literal(from)}`, to: fragment`state = ${literal(to)}` };
}
