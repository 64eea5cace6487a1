/**
 * The state machine of a job, in one table that all other code uses.
 *
 *            stop                      abort (from IDLE, RUNNING or STOPPING)
 *   IDLE ───────────▶ KILLED           IDLE ─▶ KILLED;  RUNNING, STOPPING ─▶ KILLING ─▶ KILLED
 *     │ claimed
 *     ▼
 *   RUNNING ──▶ FINISHED | FAILED | STOPPING ──▶ FINISHED (reason `stopped`) | FAILED
 *
 * `ANY`, which Nutch counts among the states, is a filter value and never a state.
 */
const next = {
  IDLE: ['RUNNING', 'KILLED'],
  RUNNING: ['FINISHED', 'FAILED', 'STOPPING', 'KILLING'],
  STOPPING: ['FINISHED', 'FAILED', 'KILLING'],
  KILLING: ['KILLED'],
  FINISHED: [],
  FAILED: [],
  KILLED: [],
} as const satisfies Record<string, readonly string[]>;

export type JobState = keyof typeof next;
export const jobStates = Object.keys(next) as JobState[];
export const finalStates = jobStates.filter((state) => next[state].length === 0);
export const openStates = jobStates.filter((state) => !finalStates.includes(state));
/** Open, and not IDLE: their tasks may be claimed. */
export const begunStates = openStates.filter((state) => state !== 'IDLE');
/** Asked to stop, or aborted. */
export const endingStates = begunStates.filter((state) => state !== 'RUNNING');

/** Whether a job may move from `from` to `to`. */
export const mayMove = (from: JobState, to: JobState): boolean => (next[from] as readonly string[]).includes(to);

/** The states from which a job may move to `to`. */
export const statesBefore = (to: JobState): JobState[] => jobStates.filter((from) => mayMove(from, to));

export const isFinal = (state: JobState): boolean => finalStates.includes(state);
