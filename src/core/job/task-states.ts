/**
 * The state machine of a task, in one table. task-moves.sql.ts has the statements that move tasks along its arrows.
 *
 *             claim                   finish, fail
 *   WAITING ─────────▶ RUNNING ────────────────────▶ DONE
 *      │    ◀─────────                                ▲
 *      │     release, rescue                          │
 *      └──────────────────────────────────────────────┘
 *        the job has ended, is stopped before it began, or is aborted; the task is given up
 */
const next = {
  WAITING: ['RUNNING', 'DONE'],
  RUNNING: ['WAITING', 'DONE'],
  DONE: [],
} as const satisfies Record<string, readonly string[]>;

export type TaskState = keyof typeof next;

/** Whether a task may move from `from` to `to`. */
export const mayMoveTask = (from: TaskState, to: TaskState): boolean => (next[from] as readonly string[]).includes(to);
