import { EXIT, StartError } from '../core/start-error.js';

/** Exit codes of the commands for people; failed starts have codes of their own (`EXIT`). Documented in docs/operations.md. */
export const COMMAND_EXIT = {
  done: 0,
  usage: EXIT.environment,
  /** A job failed or was aborted. */
  failed: 8,
  /** A crawl ended, and nothing was fetched. */
  nothing: 9,
  /** The server cannot be reached, or refused a call. */
  server: 10,
  /** `check` found rows that contradict each other. */
  disorder: 12,
  /** `check` left crawls out, because they have open jobs, and found nothing wrong in the others after repairs. */
  notAllChecked: 13,
  /** Ctrl-C; the available results were written. */
  interrupted: 130,
} as const;

/** Words that the command line does not accept. */
export function usageError(command: string, fault: string): StartError {
  return new StartError('environment', `${command}: ${fault} (orbweaver help ${command})`);
}

/** A command that cannot continue: one line, one code. */
export class CommandError extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
    this.name = 'CommandError';
  }
}
