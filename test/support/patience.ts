/**
 * How long tests wait for what has to come, ms: long enough for any machine under any load, since it is what ends a
 * test that hangs. Where a time is what is checked, the test says it by itself.
 */
export const PATIENCE_MS = 180_000;
