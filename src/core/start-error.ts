/**
 * A failed start is reported to the operator by one line and one exit code, never by a stack trace. Everything that can
 * prevent the start (environment, data directory, database, port, plugins) throws this error; `main.ts` alone prints it.
 */

/** Exit codes of the program; documented in docs/operations.md. */
export const EXIT = {
  unexpected: 1,
  environment: 2,
  dataDirInUse: 3,
  dataDir: 4,
  database: 5,
  schema: 6,
  port: 7,
  plugin: 11,
} as const;

export type StartFailure = keyof typeof EXIT;

/** A start-up failure: `message` is one line for the operator, `failure` names the exit code. */
export class StartError extends Error {
  constructor(
    readonly failure: StartFailure,
    message: string,
  ) {
    super(message.replace(/\s*[\r\n]+\s*/g, ' '));
    this.name = 'StartError';
  }

  get exitCode(): number {
    return EXIT[this.failure];
  }
}
