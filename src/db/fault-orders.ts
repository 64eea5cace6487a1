/**
 * Takes the orders of a test for the fault points of this process, and records which points were passed.
 *
 * The folder is shared by all processes under test. A file with the name of a point holds one order: `exit` (kill -9 of
 * this process), `throw`, `drop` (the connection is cut, and the caller gets the error that `pg` throws then) or `sleep
 * <ms>`, each with an optional ` after <n>` to skip the first n passes. The process that passes the point renames the file,
 * so one process obeys an order, once. Each pass adds a line to `hits.<pid>`.
 */
import { appendFileSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type { FaultPoint, Faults } from './fault-point.js';
import type { Sql } from './sql.js';

const ORDER = /^(exit|throw|drop|sleep (\d{1,6}))(?: after (\d{1,6}))?\s*$/;

/** The error that a fault point throws on order. It is no error of PostgreSQL, so nothing is retried. */
export class OrderedFault extends Error {
  constructor(point: FaultPoint) {
    super(`ordered fault at ${point}`);
  }
}

export function ordersIn(folder: string): Faults {
  return (point, tx) => {
    appendFileSync(join(folder, `hits.${process.pid}`), `${point}\n`);
    const order = takeOrder(folder, point);
    if (order === undefined) return;
    const [, action = '', ms = '0'] = ORDER.exec(order) ?? [];
    appendFileSync(join(folder, `obeyed.${process.pid}`), `${point} ${order}\n`);
    if (action === 'exit') process.kill(process.pid, 'SIGKILL');
    if (action === 'throw') throw new OrderedFault(point);
    if (action === 'drop') return cut(tx);
    return sleep(Number(ms));
  };
}

/** The order for this pass, taken from all other processes; undefined if there is none, or passes are to be skipped. */
function takeOrder(folder: string, point: FaultPoint): string | undefined {
  const taken = join(folder, `taken.${process.pid}`);
  try {
    renameSync(join(folder, point), taken);
  } catch {
    return undefined;
  }
  const order = readFileSync(taken, 'utf8');
  const [whole, action, , after = '0'] = ORDER.exec(order) ?? [];
  rmSync(taken);
  if (whole === undefined) throw new Error(`FAULT_POINTS: "${order}" is no order for ${point}`);
  if (after === '0') return action;
  writeFileSync(taken, `${action} after ${Number(after) - 1}`);
  renameSync(taken, join(folder, point));
  return undefined;
}

/** Ends the socket of a connection of `pg`, as a network does. */
function cut(tx: Sql | undefined): never {
  const { connection } = (tx ?? {}) as { connection?: { stream: { destroy(): void } } };
  connection?.stream.destroy();
  throw new Error('Connection terminated unexpectedly');
}
