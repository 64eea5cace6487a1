/**
 * Named configurations.
 *
 * A configuration has three sources: the shipped defaults, CONF_FILE, and the params of its row in `crawl_conf`.
 * `default` exists without a row and cannot be deleted, because everything without a configuration of its own uses
 * it. A new configuration begins with the present params of `default`; later changes of `default` do not apply to it. A job
 * uses a snapshot, stored once by the hash of its content, which includes the rule files: later changes do not apply to it.
 */
import { ConfReading, type ConfStoreOptions, DEFAULT_CONF_ID } from './conf-reading.js';
import type { StoredParams } from './conf.sql.js';
import { ConfSnapshots, type Snapshot } from './conf-snapshot.store.js';
import { ConfRefused, textParams } from './conf-texts.js';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { row, rows } from '../db/sql.js';
import type { Conf, Params } from '../core/conf/properties.js';
import { withValues } from '../core/conf/rule-file-values.js';

const MAX_CONFIGURATIONS = 10_000;
/** Of these, reserved for admins. */
const RESERVED_CONFIGURATIONS = 100;
/** Attempts at a change if the configuration has changed since it was checked. */
const MAX_TRIES = 20;
/** Characters of all values of a configuration, with their names: it is read completely for each job. */
const MAX_VALUES_LENGTH = 16_777_216;

/**
 * Throws for a change that is not permitted. Both are the params of the configuration, without the sources below; `before` is
 * undefined for a new one.
 */
export type PermitChange = (before: Params | undefined, after: Params) => Promise<void>;

export interface CreateOptions {
  /** Where a configuration is replaced: properties that keep their values. */
  kept?: readonly string[];
  /** Whether the reserved configurations may be used; default true. */
  byAdmin?: boolean;
  permit?: PermitChange | undefined;
}

export class ConfStore extends ConfReading {
  private readonly snapshots: ConfSnapshots;
  /** The change of each configuration that was asked for last, until it has ended. */
  private readonly lastChanges = new Map<string, Promise<unknown>>();

  /** Throws ConfRefused if the overlay has a value that is not allowed; rule files are not read. */
  constructor(dataSource: PooledDataSource, options: ConfStoreOptions = {}) {
    super(dataSource, options);
    this.snapshots = new ConfSnapshots(dataSource, this);
  }

  /**
   * Stores a configuration: returns its id (a running number if none is given), or undefined if the id is taken
   * and `force` is not set. Throws ConfRefused, and what `permit` throws.
   */
  async create(
    id: string | undefined,
    params: Params,
    force: boolean,
    { kept = [], byAdmin = true, permit }: CreateOptions = {},
  ): Promise<string | undefined> {
    const texts = textParams(params);
    const max = MAX_CONFIGURATIONS - (byAdmin ? 0 : RESERVED_CONFIGURATIONS);
    if (id !== undefined && force) return this.inOrder(id, () => this.put(id, texts, { kept, max, permit }));
    await permit?.(undefined, texts);
    await this.admit(texts);
    if (id !== undefined) return id === DEFAULT_CONF_ID ? undefined : this.insert(id, texts, max);
    const next = await this.nextNumber();
    // Another request may have taken a number since it was found.
    for (let taken = 0; taken < MAX_CONFIGURATIONS; taken++) {
      const created = await this.insert(String(next + taken), texts, max);
      if (created !== undefined) return created;
    }
    throw new ConfRefused('No running number was free; give the configuration an id.');
  }

  /** Stores a configuration instead of the one of this id, or as a new one. */
  private async put(
    id: string,
    texts: Params,
    { kept, max, permit }: { kept: readonly string[]; max: number; permit: PermitChange | undefined },
  ): Promise<string> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await this.stored(id);
      if (before === undefined) {
        await permit?.(undefined, texts);
        await this.admit(texts);
        if ((await this.insert(id, texts, max)) !== undefined) return id;
      } else {
        const keptParams = kept
          .filter((name) => Object.hasOwn(before.params, name))
          .map((name) => [name, before.params[name]]);
        if (await this.exchange(id, before, { ...texts, ...Object.fromEntries(keptParams) }, permit)) return id;
      }
    }
    throw beingChanged(id);
  }

  /** Returns the id, or undefined when it is taken. Throws ConfRefused. */
  private async insert(id: string, texts: Params, max: number): Promise<string | undefined> {
    const created = await row<{ id: string }>(this.db)`
        insert into crawl_conf (id, params)
        select ${id}, ${texts} where (select count(*) from crawl_conf) < ${max}
        on conflict (id) do nothing
        returning id`;
    if (created === undefined && (await this.paramsOf(id)) === undefined) {
      throw new ConfRefused(`There are ${max} configurations already; delete some first.`);
    }
    return created?.id;
  }

  /** Replaces params, or returns false if they have changed meanwhile. Throws ConfRefused, and what `permit` throws. */
  private async exchange(id: string, before: StoredParams, after: Params, permit?: PermitChange): Promise<boolean> {
    await permit?.(before.params, after);
    await this.admit(after);
    // Only `default` exists without a row. Any other without one was deleted meanwhile.
    const changed =
      before.version === null
        ? await rows(this.db)`
            insert into crawl_conf (id, params) values (${id}, ${after}) on conflict (id) do nothing returning id`
        : await rows(this.db)`
            update crawl_conf set params = ${after}, updated_at = now()
             where id = ${id} and xmin::text = ${before.version} returning id`;
    return changed.length > 0;
  }

  /**
   * Sets one property; false if there is no such configuration. Throws ConfRefused.
   * @param permit throws for a change that is not permitted, given the configuration before and after it
   */
  setProperty(id: string, name: string, value: unknown, permit?: PermitChange): Promise<boolean> {
    return this.inOrder(id, () => this.change(id, { [name]: value }, permit));
  }

  private async change(id: string, params: Params, permit: PermitChange | undefined): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const before = await this.stored(id);
      if (before === undefined) return false;
      const after = { ...before.params, ...textParams(params) };
      if (await this.exchange(id, before, after, permit)) return true;
    }
    throw beingChanged(id);
  }

  /**
   * Runs a change after those of the same configuration that this process began before: each would make the check of all
   * others out of date, and with many at once some would be in vain each time.
   */
  private async inOrder<T>(id: string, change: () => Promise<T>): Promise<T> {
    const mine = (this.lastChanges.get(id) ?? Promise.resolve()).then(change, change);
    this.lastChanges.set(id, mine);
    try {
      return await mine;
    } finally {
      if (this.lastChanges.get(id) === mine) this.lastChanges.delete(id);
    }
  }

  /** Deletes a configuration; false when there is none. `default` is refused with ConfRefused. */
  async remove(id: string): Promise<boolean> {
    if (id === DEFAULT_CONF_ID) throw new ConfRefused(`Configuration "${DEFAULT_CONF_ID}" cannot be deleted.`);
    if (id.includes('\0')) return false;
    return (await this.configurations.delete({ id })).affected === 1;
  }

  /**
   * Stores the present content of a configuration, with its rule files and `changes`, under its hash; undefined
   * for an unknown id. Throws ConfRefused.
   */
  snapshot(id: string, changes: Params = {}): Promise<Snapshot | undefined> {
    return this.snapshots.take(id, changes);
  }

  /** The configuration of a snapshot. Throws when there is none of this hash. */
  ofSnapshot(hash: string): Promise<Conf> {
    return this.snapshots.conf(hash);
  }

  private async admit(params: Params): Promise<void> {
    const size = Object.entries(params).reduce((sum, [name, text]) => sum + name.length + String(text).length, 0);
    if (size > MAX_VALUES_LENGTH)
      throw new ConfRefused(
        `The values of a configuration may have ${MAX_VALUES_LENGTH} characters together, not ${size}.`,
      );
    const conf = this.read(params);
    const files = await this.filesOf(conf);
    this.examine(files.sources.size === 0 ? conf : withValues(params, this.overlay, files), files);
  }

  /** The number after the largest id that is a number; ids may be longer than any number here. */
  private async nextNumber(): Promise<number> {
    const ids = new Set(await this.ids());
    let number = 1;
    for (const id of ids) if (/^\d{1,15}$/.test(id)) number = Math.max(number, Number(id) + 1);
    while (ids.has(String(number))) number++;
    return number;
  }
}

const beingChanged = (id: string) => new ConfRefused(`Configuration "${id}" keeps changing; try again.`);
