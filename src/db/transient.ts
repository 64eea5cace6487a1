/**
 * Which errors of the database are transient. What failed with one of them was rolled back (or, at COMMIT, may have
 * happened: task-run.ts), and may be retried as a whole.
 *
 * The classes are those of PostgreSQL's appendix A: 08 connection, 28 login refused, 40 rollback, 53 out of disk, memory or
 * connections, 55P03 lock_timeout, 57P01-03 and 57P05 shutdown and start, 25006 read-only server, 25P03 idle in transaction.
 * A login is refused while a password is changed: jobs continue when the program is started with the new one.
 *
 * An error that ends the session (FATAL) has many codes: the database accepts no connections while it is maintained (55000), it has
 * another name for a while (3D000).
 *
 * A statement that an operator cancels (`pg_cancel_backend`) has the code of one that took too long, 57014; the connection knows
 * which it was (watched-client.ts). It is retried as one whose session the operator ends.
 *
 * A publication that an operator makes (`for all tables`) may refuse changes of a table. Its errors have codes that others have, too;
 * their routine in the server is their own.
 */

const PASSING = /^(08|28|40001|40P01|53|55P03|57P0[1235]|25006|25P03)/;
/** Errors that last until another process or an operator acts: frees disk space, releases a lock, promotes a replica. */
const UP_TO_OTHERS = /^(53|55P03|25006)/;
/** Refuses a change of a row that a publication could not describe. */
const OF_PUBLICATION = 'CheckCmdReplicaIdentity';
const NETWORK = [
  'ECONNRESET',
  'ECONNREFUSED',
  'ECONNABORTED',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
];
/** Transient if a connection could not be made: files have them too. EAGAIN: the server accepts none, and its queue is full. */
const OF_CONNECT = ['ENOENT', 'EAGAIN', 'EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'ENETDOWN', 'EHOSTDOWN'];
const WORDS = /Connection terminated|timeout exceeded when trying to connect|not queryable|Query read timeout/;

interface ErrorFields {
  code?: string;
  syscall?: string;
  message?: string;
  detail?: string;
  routine?: string;
  severity?: string;
  isCancelled?: boolean;
  errors?: unknown[];
}

/** Whether a whole transaction may be retried: deadlock, serialization, lost or refused connection, full disk. */
export function isTransient(error: unknown): boolean {
  const { code = '', message = '', isCancelled = false } = errorFields(error);
  const isOfServer = PASSING.test(code) || isFatal(error) || isOfPublication(error) || isCancelled;
  return isOfServer || isNetwork(error) || WORDS.test(message);
}

/** Whether the server has ended the session, or has not let it begin, whatever the reason. */
const isFatal = (error: unknown): boolean => errorFields(error).severity === 'FATAL';

/**
 * Whether the database runs, and another process or an operator has to act: its disk is full, it is locked or read-only, or a
 * publication refuses the change.
 */
export const isUpToOthers = (error: unknown): boolean =>
  UP_TO_OTHERS.test(errorFields(error).code ?? '') || isOfPublication(error);

const isOfPublication = (error: unknown): boolean => errorFields(error).routine === OF_PUBLICATION;

/** The words of a failure for which a task waits. Of a publication, PostgreSQL says the reason in its detail only. */
export function failureWords(error: unknown): string {
  const { message = '', detail } = errorFields(error);
  return detail && isOfPublication(error) ? `${message}: ${detail}` : message;
}

/**
 * Why a connection could not be made, if waiting may help: the server (or our pool) has none left, or the server is
 * unavailable, starting, or read-only, or refuses the login, or lets no one into the database.
 */
export function isConnectFailure(error: unknown): 'full' | 'away' | undefined {
  const { code = '', message = '' } = errorFields(error);
  if (code.startsWith('53')) return 'full';
  const isAway = /^(08|28|57P0[123]|25006)/.test(code) || isFatal(error) || isNetwork(error) || WORDS.test(message);
  return isAway ? 'away' : undefined;
}

/** The code of an error caused by the data of a statement (22: their values, 54: their size); else undefined. */
export function dataErrorCode(error: unknown): string | undefined {
  const { code = '' } = errorFields(error);
  return /^(22|54)[0-9A-Z]{3}$/.test(code) ? code : undefined;
}

/** A socket that broke, was refused, or could not be made. */
function isNetwork(error: unknown): boolean {
  const { code = '', syscall, errors } = errorFields(error);
  // Node tries all addresses of a name, and reports all failures at once.
  if (errors && errors.length > 0) return errors.every(isNetwork);
  return NETWORK.includes(code) || (syscall === 'connect' && OF_CONNECT.includes(code));
}

const errorFields = (error: unknown): ErrorFields =>
  (typeof error === 'object' && error !== null ? error : {}) as ErrorFields;
