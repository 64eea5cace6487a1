/** The commands of the program and the only place where an error becomes a line and an exit code. */
import { type Env, readEnv } from '../conf/env.js';
import { programVersion } from '../conf/version.js';
import { type LifeLog, makeLog } from '../conf/log.js';
import { nearestName } from '../core/conf/nearest-name.js';
import { reasonOf } from '../plugin/error-text.js';
import { EXIT, StartError } from '../core/start-error.js';
import { armFaultPoints } from '../db/fault-point.js';
import { COMMAND_EXIT, CommandError } from './exit-codes.js';
import { insteadOf } from './nutch/replaced-commands.js';
import { NUTCH_COMMANDS } from './nutch/nutch-commands.js';
import { type Command, printable, type Terminal } from './terminal.js';
import {
  CHECK_USAGE,
  CRAWL_USAGE,
  DEMO_USAGE,
  EXPORT_USAGE,
  INDEX_SCHEMA_USAGE,
  INSPECT_USAGE,
  MIGRATE_USAGE,
  READSEG_USAGE,
  SEARCH_USAGE,
  USAGE,
} from './usage.js';

interface PeopleCommand {
  readonly usage: string;
  /** Loads the command: help and usage errors need neither server nor database. */
  readonly load: () => Promise<Command>;
}

const nutchCommands = Object.entries(NUTCH_COMMANDS).map(([name, { usage }]): [string, PeopleCommand] => [
  name,
  {
    usage: `usage: orbweaver ${name} ${usage} [-crawlId ID] [-D property=value] [-server URL]\n`,
    load: async () => (await import('./nutch/nutch.command.js')).nutchCommand(name),
  },
]);

const PEOPLE: Readonly<Record<string, PeopleCommand>> = {
  crawl: { usage: CRAWL_USAGE, load: async () => (await import('./crawl/crawl.command.js')).crawlCommand },
  inspect: { usage: INSPECT_USAGE, load: async () => (await import('./inspect/inspect.command.js')).inspectCommand },
  search: { usage: SEARCH_USAGE, load: async () => (await import('./search/search.command.js')).searchCommand },
  export: { usage: EXPORT_USAGE, load: async () => (await import('./export/export.command.js')).exportCommand },
  demo: { usage: DEMO_USAGE, load: async () => (await import('./demo/demo.command.js')).demoCommand },
  readseg: { usage: READSEG_USAGE, load: async () => (await import('./nutch/readseg.command.js')).readsegCommand },
  'index-schema': {
    usage: INDEX_SCHEMA_USAGE,
    load: async () => (await import('./index-schema/index-schema.command.js')).indexSchemaCommand,
  },
  ...Object.fromEntries(nutchCommands),
};
/** Commands of the server itself, with their lines in the help. */
const SERVER: Readonly<Record<string, string>> = {
  serve: USAGE,
  worker: USAGE,
  migrate: MIGRATE_USAGE,
  check: CHECK_USAGE,
};

/** Runs the command that the words name. Returns when it is running (serve, worker) or done (migrate, help). */
export async function runCommand(words: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> {
  surviveOutput();
  try {
    await dispatch(words, variables);
  } catch (error) {
    const [message, code] = ending(error);
    end(message, code);
  }
}

async function dispatch([command = 'serve', ...more]: readonly string[], variables: NodeJS.ProcessEnv): Promise<void> {
  if (['help', '--help', '-h'].includes(command)) return help(more[0]);
  if (['--version', '-v', 'version'].includes(command)) return void process.stdout.write(`${programVersion()}\n`);
  if (more.includes('--help') || more.includes('-h')) return help(command);
  const people = Object.hasOwn(PEOPLE, command) ? PEOPLE[command] : undefined;
  if (people) {
    const terminal: Terminal = { stdout: process.stdout, stderr: process.stderr, variables };
    return exit(await runForPeople(people, more, terminal));
  }
  if (!Object.hasOwn(SERVER, command)) throw unknownCommand(command);
  if (more.length > 0 && !['migrate', 'check'].includes(command))
    throw new StartError('environment', `${command} takes no words; given: "${more.join(' ')}"`);
  const env = readEnv(command === 'worker' ? { ...variables, ROLE: 'worker' } : variables);
  if (variables['FAULT_POINTS']) await takeOrders(variables['FAULT_POINTS']);
  if (command === 'migrate') return (await import('./migrate.js')).migrateOnly(env, log, more);
  if (command === 'check') return (await import('./check.js')).checkDatabase(env, log, more);
  return (await import('./serve.js')).serve(env, lifeLog(env));
}

async function runForPeople(command: PeopleCommand, words: readonly string[], terminal: Terminal): Promise<number> {
  const run = await command.load();
  try {
    return await run(words, terminal);
  } catch (error) {
    throw (await import('./server-errors.js')).asCommandError(error);
  }
}

/** For tests: this process injects faults (fault-point.ts). */
async function takeOrders(folder: string): Promise<void> {
  const { ordersIn } = await import('../db/fault-orders.js');
  armFaultPoints(ordersIn(folder));
  log('FAULT_POINTS is set: this process injects failures');
}

function help(command: string | undefined): void {
  if (command === undefined) return void process.stdout.write(USAGE);
  const usage = Object.hasOwn(SERVER, command) ? SERVER[command] : undefined;
  if (usage === undefined && !Object.hasOwn(PEOPLE, command)) throw unknownCommand(command);
  process.stdout.write(usage ?? PEOPLE[command]?.usage ?? USAGE);
}

function unknownCommand(command: string): StartError {
  const instead = insteadOf(command);
  if (instead !== undefined) return new StartError('environment', `unknown command "${command}"; instead: ${instead}`);
  const near = nearestName(command, [...Object.keys(SERVER), ...Object.keys(PEOPLE)]);
  const hint = near ? `; did you mean ${near}?` : '';
  return new StartError('environment', `unknown command "${command}"${hint} (orbweaver help lists them)`);
}

/** An error as a line for the operator and an exit code. */
function ending(error: unknown): [message: string, code: number] {
  if (error instanceof StartError || error instanceof CommandError) return [error.message, error.exitCode];
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  return [`unexpected: ${text}`, EXIT.unexpected];
}

/** Logs the start and end of a server: as plain text, or as JSON if LOG_FORMAT says so. */
function lifeLog({ logFormat: format, logLevel: level }: Env): LifeLog {
  if (format !== 'json') return log;
  const logger = makeLog('server', { format, level });
  return (line, at = 'info') => logger[at](line);
}

function log(line: string): void {
  process.stdout.write(`orbweaver: ${line}\n`);
}

function end(message: string, code: number): void {
  process.stderr.write(`orbweaver: ${printable(message)}\n`, () => process.exit(code));
}

/** Ends the process when its output is written; open connections do not delay that. */
function exit(code: number): void {
  // The event of a failed write may come after the callback of the next one.
  process.stdout.write('', () => setImmediate(exitWith, code));
}

function exitWith(code: number): void {
  if (lostOutput && (code === COMMAND_EXIT.done || code === COMMAND_EXIT.nothing))
    return end(`cannot write stdout: ${lostOutput.message}`, COMMAND_EXIT.failed);
  process.stderr.write('', () => process.exit(code));
}

/** Why the result of a command did not reach its reader, a full disk for example. A reader that goes away wants no more. */
let lostOutput: Error | undefined;

/** A closed terminal or a full disk behind our output must not end a crawl. */
function surviveOutput(): void {
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') lostOutput ??= error;
  });
  process.stderr.on('error', () => undefined);
  process.on('unhandledRejection', (reason) => log(`unhandled rejection: ${reasonOf(reason)}`));
}
