/** What a server that refuses or does not answer means for a command; apart from command-line.ts, since servers load no client. */
import { OrbweaverProblem, OrbweaverUnreachable } from '../../clients/typescript/src/orbweaver.js';
import { COMMAND_EXIT, CommandError } from './exit-codes.js';

/** The error of a command; others are returned as they are. */
export function asCommandError(error: unknown): unknown {
  if (error instanceof OrbweaverProblem)
    return new CommandError(COMMAND_EXIT.server, `the server refused: ${error.detail} (${error.code})`);
  if (error instanceof OrbweaverUnreachable)
    return new CommandError(COMMAND_EXIT.server, `the server does not answer: ${error.message}`);
  return error;
}
