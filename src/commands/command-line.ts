import { readEnv } from '../conf/env.js';
import { EXIT, StartError } from '../db/embedded/start-error.js';
import { migrateOnly } from './migrate.js';
import { serve } from './serve.js';

/** The commands of the program and the one place where a failed start becomes a line and an exit code. */

const USAGE = `usage: orbweaver [serve | worker | migrate]

  serve     run the processes of ROLE: database, API and workers (default)
  worker    run workers only; needs DATABASE_URL
  migrate   bring the database schema up to date and end

Settings come from the environment: PORT, HOST, DATABASE_URL, DATA_DIR, ROLE, WORKERS, API_KEYS, AUTH,
ALLOWED_HOSTS, CONF_FILE, LOG_LEVEL (README.md says what they mean).
`;

/** Runs the command that the words name. Returns when it is running (serve, worker) or done (migrate, help). */
export async function runCommand(words: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> {
  surviveOutput();
  try {
    await dispatch(words, variables);
  } catch (error) {
    if (error instanceof StartError) return end(error.message, error.exitCode);
    return end(
      `unexpected: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      EXIT.unexpected,
    );
  }
}

async function dispatch([command = 'serve', ...more]: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> {
  if (['help', '--help', '-h'].includes(command)) return void process.stdout.write(USAGE);
  if (!['serve', 'worker', 'migrate'].includes(command) || more.length > 0) {
    throw new StartError(
      'environment',
      `unknown command "${[command, ...more].join(' ')}" (orbweaver help lists them)`,
    );
  }
  const env = readEnv(command === 'worker' ? { ...variables, ROLE: 'worker' } : variables);
  if (command === 'migrate') return migrateOnly(env, say);
  return serve(env, say);
}

/** One line for the operator. */
function say(line: string): void {
  process.stdout.write(`orbweaver: ${line}\n`);
}

function end(message: string, code: number): void {
  process.stderr.write(`orbweaver: ${message}\n`, () => process.exit(code));
}

/** A closed terminal or a full disk behind our output is no reason to stop crawling. */
function surviveOutput(): void {
  process.stdout.on('error', () => undefined);
  process.stderr.on('error', () => undefined);
  process.on('unhandledRejection', (reason) => say(`unhandled rejection: ${String(reason)}`));
}
