/** The server as its own resources see it: since when it runs, and how it is asked to end. */
export class ServerControl {
  readonly startedAt = Date.now();
  /** The port that is listened on; set when it is known. */
  port = 0;

  /** @param stop ends the process in an orderly way */
  constructor(private readonly stop: () => void) {}

  /** Ends the server in a second, so that the answer still gets out. Answers what NutchServer answers. */
  stopSoon(): string {
    setTimeout(this.stop, 1_000).unref();
    return `Stopping in server on port ${this.port}`;
  }
}
