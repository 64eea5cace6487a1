/** When the server started, and how a route stops it. */
export class ServerControl {
  readonly startedAt = Date.now();
  /** The port that the server listens on; set when it is known. */
  port = 0;

  /** @param stop ends the process in an orderly way */
  constructor(private readonly stop: () => void) {}

  /** Stops the server in a second, so that the answer is still sent. Returns NutchServer's text. */
  stopSoon(): string {
    setTimeout(this.stop, 1_000).unref();
    return `Stopping in server on port ${this.port}`;
  }
}
