/**
 * Pauses of a task that computes for long beside a FETCH of the same process, as INDEX does.
 *
 * A page that is fetched needs several iterations of the event loop: its bytes, its parsing, the end of its host's delay, the next
 * request. Each of them waits for the computing in progress. So a pause lasts for several iterations, and longer while the loop is
 * busy: what is computed can wait, while a host that is not asked is time lost to its crawl.
 */

/** Computing after which there is no pause: a pause has a resolution of a millisecond. */
const MIN_COMPUTED_MS = 1;
/** A pause, as a multiple of the computing before it, and its maximum. */
const FACTOR = 2;
const MAX_PAUSE_MS = 50;
/** Utilization of the event loop above which a pause is repeated: so often at most, and only in the first minute of a task. */
const BUSY = 0.7;
const MAX_REPEATS = 5;
const PATIENT_MS = 60_000;

/**
 * Milliseconds; 0: no pause.
 * @param computed since the last pause, ms
 * @param tasks number of tasks of the process that compute like this one, itself included
 */
export const pauseBesideFetch = (computed: number, tasks: number): number =>
  computed < MIN_COMPUTED_MS ? 0 : Math.min(MAX_PAUSE_MS, computed * FACTOR * tasks);

/**
 * Whether a pause is repeated.
 * @param repeats so far
 * @param age of the task, ms
 * @param utilization of the event loop in the pause, 0 to 1
 */
export const isRepeated = ({ repeats, age, utilization }: { repeats: number; age: number; utilization: number }) =>
  utilization > BUSY && repeats < MAX_REPEATS && age < PATIENT_MS;
