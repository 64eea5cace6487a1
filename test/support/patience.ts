/**
 * How long tests wait for what has to come, ms: long enough for any machine under any load, since no test is about these
 * times. What comes is seen at once; they end what hangs.
 */
export const PATIENCE_MS = 180_000;
