/**
 * Defaults of environment variables that several programs apply: the server reads them in env.ts, others are started without
 * it.
 */
export const DEFAULT_PORT = 8081;
/** Requests a second of one client. */
export const DEFAULT_REQUEST_RATE = 200;
export const DEFAULT_WAITING_JOBS_PER_KEY = 500;
/** Connections to the database of one worker process. */
export const DEFAULT_WORKER_CONNECTIONS = 12;
/** MiB of index data that a process keeps for searches. */
export const DEFAULT_SEARCH_CACHE = 128;
