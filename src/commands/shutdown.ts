import type { LifeLog } from '../conf/log.js';
import { withinTime } from '../net/within-time.js';
import { onRequestsToEnd } from './signals.js';

/** Time in which something must close; then it is abandoned. */
const CLOSE_MS = 30_000;

/**
 * The shutdown. Everything that the start has opened is added here and closed in reverse order, once, after a signal;
 * a second signal ends the process at once. kill -9 is a normal case: nothing here is needed for correctness.
 */
export class Shutdown {
  private readonly open: { name: string; close: () => Promise<void> }[] = [];
  private begun: Promise<void> | undefined;

  constructor(private readonly log: LifeLog) {}

  /** Adds something that was just opened, with the function that closes it. */
  add(name: string, close: () => Promise<void>): void {
    this.open.push({ name, close });
  }

  /** SIGTERM, SIGINT and SIGHUP close everything and exit with 0. */
  onSignals(): void {
    onRequestsToEnd((signal) => {
      if (this.begun) process.exit(1);
      this.log(`${signal}: stopping (again: ends immediately)`);
      void this.close().then(() => process.exit(0));
    });
  }

  /** Closes everything, the last opened first. What does not close in CLOSE_MS is abandoned. */
  close(): Promise<void> {
    return (this.begun ??= this.closeAll());
  }

  private async closeAll(): Promise<void> {
    for (const { name, close } of this.open.reverse()) {
      const closed = close().catch((error: Error) => this.log(`${name}: ${error.message}`, 'warn'));
      await withinTime(CLOSE_MS, closed, () => this.log(`${name} does not close`, 'warn'));
    }
  }
}
