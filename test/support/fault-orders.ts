/**
 * Orders for the fault points of processes under test (src/db/fault-point.ts).
 *
 *   const orders = await FaultOrders.open();
 *   startServer({ databaseUrl, env: orders.env });
 *   orders.order('fetch.beforeCommit', 'exit', 3);      // kill -9 of the process that passes it the fourth time
 *   await orders.obeyed('fetch.beforeCommit');
 *
 * One order at a time stands at a point; the first process that passes it takes it, once.
 */
import { existsSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FaultPoint } from '../../src/db/fault-point.js';
import { type TemporaryFolder, temporaryFolder } from './folders.js';
import { Wait } from './patience.js';

/** kill -9 of the process; an error that nobody expects; the connection is cut; a pause. */
export type FaultAction = 'exit' | 'throw' | 'drop' | `sleep ${number}`;

export class FaultOrders {
  private constructor(private readonly folder: TemporaryFolder) {}

  static async open(): Promise<FaultOrders> {
    return new FaultOrders(await temporaryFolder());
  }

  /** What a process needs to take orders from here. */
  get env(): { FAULT_POINTS: string } {
    return { FAULT_POINTS: this.folder.path };
  }

  /** @param after passages, of all processes together, that go by before */
  order(point: FaultPoint, action: FaultAction, after = 0): void {
    const draft = join(this.folder.path, 'draft');
    writeFileSync(draft, after > 0 ? `${action} after ${after}` : action);
    renameSync(draft, join(this.folder.path, point));
  }

  /** Whether an order still stands at a point. */
  stands(point: FaultPoint): boolean {
    return existsSync(join(this.folder.path, point));
  }

  /** Takes all orders back. */
  clear(): void {
    for (const name of readdirSync(this.folder.path)) {
      if (!/^(hits|obeyed|taken)\./.test(name)) rmSync(join(this.folder.path, name), { force: true });
    }
  }

  /** Orders that were carried out so far, as `<point> <action>`. */
  get carriedOut(): string[] {
    return this.lines('obeyed');
  }

  /** How often each point was passed, by all processes together. */
  hits(): Map<string, number> {
    const counts = new Map<string, number>();
    for (const point of this.lines('hits')) counts.set(point, (counts.get(point) ?? 0) + 1);
    return counts;
  }

  /** Waits until an order at this point was carried out (`times` of them). */
  async obeyed(point: FaultPoint, { times = 1 } = {}): Promise<void> {
    const wait = new Wait();
    while (this.carriedOut.filter((line) => line.startsWith(`${point} `)).length < times) {
      if (wait.isOver) throw new Error(`nobody passed ${point}`);
      await new Promise((wake) => setTimeout(wake, 10));
    }
  }

  remove(): Promise<void> {
    return this.folder.remove();
  }

  private lines(kind: 'hits' | 'obeyed'): string[] {
    return readdirSync(this.folder.path)
      .filter((name) => name.startsWith(`${kind}.`))
      .flatMap((name) => readFileSync(join(this.folder.path, name), 'utf8').split('\n').filter(Boolean));
  }
}
