import { onRequestsToEnd } from './signals.js';

/**
 * Ctrl-C while a command runs: the first asks it to end in order, the second to end now, the third ends the process. SIGTERM
 * and SIGHUP (the terminal was closed) count like the first.
 */
export class Interrupts {
  /** How often it was pressed so far. */
  count = 0;
  private listener: (count: number) => void = () => undefined;
  readonly end: () => void;

  constructor() {
    this.end = onRequestsToEnd(() => {
      this.count += 1;
      if (this.count > 2) process.exit(130);
      this.listener(this.count);
    });
  }

  /** Sets the listener for the next ones. */
  onInterrupt(listener: (count: number) => void): void {
    this.listener = listener;
  }

  /** As `onInterrupt`; earlier ones are reported at once. */
  listen(listener: (count: number) => void): void {
    this.onInterrupt(listener);
    if (this.count > 0) listener(this.count);
  }

  /** The result of a start; undefined if Ctrl-C came first, which also ends programs that the start runs. */
  unless<T>(starting: Promise<T>): Promise<T | undefined> {
    return starting.catch((error: unknown) => {
      if (this.count > 0) return undefined;
      throw error;
    });
  }
}
