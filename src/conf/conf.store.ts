/**
 * Named configurations.
 *
 * A configuration is three layers of text: the shipped defaults, CONF_FILE, and the params of its row in `crawl_conf`.
 * `default` exists without a row and cannot be deleted, because everything without a configuration of its own falls
 * back on it. A new configuration begins with the params that `default` has then; later changes of it stay there. A job runs on a snapshot, stored once by the hash of its content, so later changes never reach it. The rule
 * files that a configuration names are part of that content.
 */
import { createHash } from 'node:crypto';
import type { Pool } from 'pg';
import { RuleError } from '../core/url/linear-regex.js';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { row, rows, sql, storable } from '../db/sql.js';
import { ConfCache } from './conf-cache.js';
import { Expansion } from './expand.js';
import { changedGuard } from './guarded.js';
import { type Conf, type ParsedConf, type Params, type ConfProblem, asText, parseConf } from './properties.js';
import { isSecret, MASK, propertyNames, propertyOf } from './properties.js';
import { propertiesOfDefault } from './properties.server.js';
import { ruleFilePairs } from './rule-file-pairs.js';
import { RuleFileStore } from './rule-file.store.js';
import { type FileValues, fileValues, wantedFiles, withValues } from './rule-file-values.js';

export const DEFAULT_CONF_ID = 'default';
const MAX_CONFIGURATIONS = 10_000;
/** Of these, what is left to admins. */
const RESERVED_CONFIGURATIONS = 100;
const MAX_NAME_LENGTH = 256;
/** Of a change that finds the configuration changed since it was judged. */
const MAX_TRIES = 20;
/** Characters of all values of a configuration, with their names: it is read whole for each job. */
const MAX_OF_VALUES = 16_777_216;
/** Bytes of a configuration that is small, and of one that is short. */
const SMALL_BYTES = 65_536;
const SHORT_BYTES = 16_384;
/** Properties that make a configuration hold rules, and the names under which Nutch ships files of rules. */
const ruleProperties = ruleFilePairs.flatMap(({ file, rules }): string[] => [file, rules]);
const shippedFiles = ruleFilePairs.map(({ file }) => String(propertyOf(file)?.default)).filter((name) => name !== '');
const refusedNames = new Set(['__proto__', 'constructor', 'prototype']);
const nameShape = /^[^\p{Cc}\p{Cs}\s]+$/u;

/** A configuration is not stored as it was given. */
export class ConfRefused extends Error {
  constructor(
    message: string,
    readonly problems: readonly ConfProblem[] = [],
  ) {
    super(message);
  }
}

/** The content of a configuration at one instant. */
export interface Snapshot {
  /** SHA-256 of the content, in hex. */
  hash: string;
  conf: Conf;
}

/**
 * Throws for a change that is not to be made. Both are the params of the configuration, without what they are laid over; `before` is
 * undefined for one that is new.
 */
export type PermitChange = (before: Params | undefined, after: Params) => Promise<void>;

export interface CreateOptions {
  /** Where a configuration is replaced: properties that stay as it has them. */
  kept?: readonly string[];
  /** Whether the last configurations that there may be are to be had; default true. */
  byAdmin?: boolean;
  permit?: PermitChange | undefined;
}

export interface ConfStoreOptions {
  /** CONF_FILE: laid over the shipped defaults of every configuration. */
  overlay?: Params;
  /** Refuses, by throwing an Error with a precise message, what the table of properties cannot judge (expressions). */
  check?: (conf: Conf) => void;
}

export class ConfStore {
  private readonly db: Pool;
  private readonly overlay: Params;
  private readonly check: (conf: Conf) => void;
  private readonly files: RuleFileStore;
  private readonly snapshots = new ConfCache();

  /** Throws ConfRefused when the overlay has a value that is not allowed; rule files are not looked at. */
  constructor(dataSource: PooledDataSource, options: ConfStoreOptions = {}) {
    this.db = dataSource.pool;
    this.files = new RuleFileStore(this.db);
    this.overlay = textParams(options.overlay ?? {});
    this.check = options.check ?? (() => undefined);
    this.examine(this.read({}));
  }

  /** The ids of all configurations: `default`, then the others in order. */
  async ids(): Promise<string[]> {
    const named = await rows<{ id: string }>(
      this.db,
      sql`select id from crawl_conf where id <> ${DEFAULT_CONF_ID} order by id`,
    );
    return [DEFAULT_CONF_ID, ...named.map(({ id }) => id)];
  }

  /** The configuration of this id, or undefined. What its rule files say is left out: see `findWithRules`. */
  async find(id: string): Promise<ParsedConf | undefined> {
    const params = await this.paramsOf(id);
    return params && parseConf(params, this.overlay);
  }

  /** What a new configuration of this id begins with: the params of `default` as they are now. Secrets are among them, unmasked. */
  async inherited(id: string | undefined): Promise<Params> {
    if (id === DEFAULT_CONF_ID) return {};
    const params = Object.entries((await this.paramsOf(DEFAULT_CONF_ID))!);
    return Object.fromEntries(params.filter(([name]) => !propertiesOfDefault.includes(name)));
  }

  /**
   * Whether what a configuration says is short and has no rules of its own: then reading it, and asking its rules, takes
   * no time to speak of. An unknown one is short.
   */
  async isShort(id: string): Promise<boolean> {
    if (id.includes('\0')) return true;
    if (ruleProperties.some((name) => Object.hasOwn(this.overlay, name))) return false;
    const found = await row<{ long: boolean }>(
      this.db,
      sql`
      select exists (select from rule_file where name = any(${shippedFiles}::text[]))
          or exists (select from crawl_conf where id = ${id} and (params ?| ${ruleProperties}::text[] or octet_length(params::text) > ${SHORT_BYTES})) as long`,
    );
    return found?.long === false;
  }

  /** Whether the values of a configuration are few or short, whatever its rule files say. An unknown one is small. */
  async isSmall(id: string): Promise<boolean> {
    if (id.includes('\0')) return true;
    const found = await row<{ size: number }>(
      this.db,
      sql`select octet_length(params::text) as size from crawl_conf where id = ${id}`,
    );
    return (found?.size ?? 0) <= SMALL_BYTES;
  }

  /** The configuration of this id with the rules of its files, as a job would have it; undefined for an unknown id. Throws ConfRefused. */
  async findWithRules(id: string): Promise<Conf | undefined> {
    const params = await this.paramsOf(id);
    return params && withValues(params, this.overlay, await this.filesOf(parseConf(params, this.overlay).conf));
  }

  /** A configuration with these params, the rules of its files included, as a job would have it. Throws ConfRefused. */
  async effective(params: Params): Promise<Conf> {
    const texts = textParams(params);
    return withValues(texts, this.overlay, await this.filesOf(parseConf(texts, this.overlay).conf));
  }

  /** The same of params that are stored; without the rules of files where one of them is gone, so that this can be mended. */
  inForce(params: Params): Promise<Conf> {
    return this.effective(params).catch(() => parseConf(params, this.overlay).conf);
  }

  /** The same of what `default` says now. */
  async inForceByDefault(): Promise<Conf> {
    return this.inForce((await this.paramsOf(DEFAULT_CONF_ID))!);
  }

  /**
   * Every property as text, references expanded, secrets masked, sorted by name; undefined for an unknown id.
   * A value whose references cannot be expanded is shown as it was written.
   * @param only the one property that is wanted; without it all are
   */
  async shown(id: string, only?: string): Promise<Record<string, string> | undefined> {
    const params = await this.paramsOf(id);
    return params && this.show(params, only);
  }

  private show(params: Params, only?: string): Record<string, string> {
    const texts = effectiveTexts({ ...this.overlay, ...params });
    const shown: Record<string, string> = Object.create(null);
    // A secret is masked where it is referred to, too.
    const seen = (name: string) => (isSecret(name) && texts.get(name) !== '' ? MASK : texts.get(name));
    const expansion = new Expansion((other) => (texts.has(other) ? seen(other) : undefined));
    const wanted = only === undefined ? [...texts.keys()].sort() : [only].filter((name) => texts.has(name));
    for (const name of wanted) {
      const text = seen(name) ?? '';
      shown[name] = expansion.expand(text) ?? text;
    }
    return shown;
  }

  /**
   * Stores a configuration: returns its id (a running number when none is given), or undefined when the id is taken
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
    if (id !== undefined && force) return this.put(id, texts, { kept, max, permit });
    await permit?.(undefined, texts);
    await this.admit(texts);
    if (id !== undefined) return id === DEFAULT_CONF_ID ? undefined : this.insert(id, texts, max);
    // A number may be taken by another request since it was found.
    for (let tries = 0; tries < MAX_CONFIGURATIONS; tries++) {
      const created = await this.insert(await this.nextNumber(), texts, max);
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
      const before = await this.paramsOf(id);
      if (before === undefined) {
        await permit?.(undefined, texts);
        await this.admit(texts);
        if ((await this.insert(id, texts, max)) !== undefined) return id;
      } else {
        const own = kept.filter((name) => Object.hasOwn(before, name)).map((name) => [name, before[name]]);
        if (await this.exchange(id, before, { ...texts, ...Object.fromEntries(own) }, permit)) return id;
      }
    }
    throw beingChanged(id);
  }

  /** Returns the id, or undefined when it is taken. Throws ConfRefused. */
  private async insert(id: string, texts: Params, max: number): Promise<string | undefined> {
    const created = await row<{ id: string }>(
      this.db,
      sql`
        insert into crawl_conf (id, params)
        select ${id}, ${texts} where (select count(*) from crawl_conf) < ${max}
        on conflict (id) do nothing
        returning id`,
    );
    if (created === undefined && (await this.paramsOf(id)) === undefined) {
      throw new ConfRefused(`There are ${max} configurations already; delete some first.`);
    }
    return created?.id;
  }

  /** Replaces params, or returns false when they have changed meanwhile. Throws ConfRefused, and what `permit` throws. */
  private async exchange(id: string, before: Params, after: Params, permit?: PermitChange): Promise<boolean> {
    await permit?.(before, after);
    await this.admit(after);
    // Only `default` exists without a row. Any other without one was deleted meanwhile.
    if (id === DEFAULT_CONF_ID) {
      await this.db.query(sql`
        insert into crawl_conf (id, params) values (${id}, '{}') on conflict (id) do nothing`);
    }
    // What was judged is what is changed: another change may have come in between.
    const changed = await rows(
      this.db,
      sql`update crawl_conf set params = ${after}, updated_at = now()
           where id = ${id} and params = ${before}::jsonb returning id`,
    );
    return changed.length > 0;
  }

  /**
   * Sets one property; false when there is no such configuration. Throws ConfRefused.
   * @param permit throws for a change that is not to be made, given the configuration before and after it
   */
  async setProperty(id: string, name: string, value: unknown, permit?: PermitChange): Promise<boolean> {
    for (let tries = 0; tries < MAX_TRIES; tries++) {
      const params = await this.paramsOf(id);
      if (params === undefined) return false;
      if (await this.exchange(id, params, { ...params, ...textParams({ [name]: value }) }, permit)) return true;
    }
    throw beingChanged(id);
  }

  /** Deletes a configuration; false when there is none. `default` is refused with ConfRefused. */
  async remove(id: string): Promise<boolean> {
    if (id === DEFAULT_CONF_ID) throw new ConfRefused(`Configuration "${DEFAULT_CONF_ID}" cannot be deleted.`);
    if (id.includes('\0')) return false;
    const gone = await rows(this.db, sql`delete from crawl_conf where id = ${id} returning id`);
    return gone.length > 0;
  }

  /**
   * Stores the present content of a configuration, its rule files and `changes` laid over it, under its hash; undefined
   * for an unknown id. It is kept for a day, and for as long as a job names it. Throws ConfRefused for a rule file that is
   * not stored or not usable.
   */
  async snapshot(id: string, changes: Params = {}): Promise<Snapshot | undefined> {
    const params = await this.paramsOf(id);
    if (params === undefined) return undefined;
    const texts = effectiveTexts({ ...this.overlay, ...params, ...changes });
    const files = await this.filesOf(parseConf(Object.fromEntries(texts)).conf);
    if (Object.keys(changes).length > 0) {
      const before = await this.inForce(params);
      const guard = changedGuard(withValues({ ...params, ...changes }, this.overlay, files), [before]);
      if (guard !== undefined) throw new ConfRefused(`Arguments of a job may not change what property ${guard} says.`);
    }
    const content = {
      ...Object.fromEntries([...texts].sort(([a], [b]) => (a < b ? -1 : 1))),
      ...files.values,
    };
    const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex');
    const known = this.snapshots.get(hash);
    if (known === undefined && files.sources.size > 0) this.examine(parseConf(content).conf, files);
    await this.db.query(sql`
      insert into conf_snapshot (hash, params) values (${hash}, ${content})
      on conflict (hash) do update set used_at = now() where conf_snapshot.used_at < now() - interval '1 hour'`);
    return { hash, conf: known ?? this.snapshots.add(hash, content) };
  }

  /** The configuration of a snapshot. Throws when there is none of this hash. */
  async ofSnapshot(hash: string): Promise<Conf> {
    const known = this.snapshots.get(hash);
    if (known) return known;
    const stored = await row<{ params: Params }>(this.db, sql`select params from conf_snapshot where hash = ${hash}`);
    if (stored === undefined) throw new Error(`There is no configuration snapshot ${hash}.`);
    return this.snapshots.add(hash, stored.params);
  }

  private async paramsOf(id: string): Promise<Params | undefined> {
    if (id.includes('\0')) return undefined;
    const stored = await row<{ params: Params }>(this.db, sql`select params from crawl_conf where id = ${id}`);
    return stored?.params ?? (id === DEFAULT_CONF_ID ? {} : undefined);
  }

  private async admit(params: Params): Promise<void> {
    const size = Object.entries(params).reduce((sum, [name, text]) => sum + name.length + String(text).length, 0);
    if (size > MAX_OF_VALUES)
      throw new ConfRefused(
        `The values of a configuration may have ${MAX_OF_VALUES} characters together, not ${size}.`,
      );
    const conf = this.read(params);
    const files = await this.filesOf(conf);
    this.examine(files.sources.size === 0 ? conf : withValues(params, this.overlay, files), files);
  }

  /** The configuration as its own values make it. Throws ConfRefused for a value that is not allowed. */
  private read(params: Params): Conf {
    const { conf, problems } = parseConf(params, this.overlay);
    if (problems.length > 0) throw new ConfRefused(problems.map(sentenceOf).join(' '), problems);
    return conf;
  }

  private async filesOf(conf: Conf): Promise<FileValues> {
    const stored = await this.files.contents(wantedFiles(conf).map(({ file }) => String(conf[file])));
    try {
      return fileValues(conf, stored);
    } catch (error) {
      throw new ConfRefused((error as Error).message);
    }
  }

  /** Throws ConfRefused for what the table cannot judge; rules of a file under the name of the file. */
  private examine(conf: Conf, files?: FileValues): void {
    try {
      this.check(conf);
    } catch (error) {
      const message = error instanceof Error ? error.message : String(error);
      const property = message.split(':', 1)[0] ?? '';
      const source = files?.sources.get(property);
      if (source === undefined) throw new ConfRefused(message);
      throw new ConfRefused(source + withoutRule(message, error).slice(property.length));
    }
  }

  /** The number behind the largest id that is one; ids may be longer than numbers are counted. */
  private async nextNumber(): Promise<string> {
    const ids = new Set(await this.ids());
    let number = 1;
    for (const id of ids) if (/^\d{1,15}$/.test(id)) number = Math.max(number, Number(id) + 1);
    while (ids.has(String(number))) number++;
    return String(number);
  }
}

/** A refusal without the text of the rule: what a file says is for admins to read, and the caller gets its position. */
function withoutRule(message: string, error: unknown): string {
  const cause = error instanceof Error ? error.cause : undefined;
  const text = cause instanceof RuleError ? ` (${cause.rule.text.slice(0, 80)})` : '';
  return message.endsWith(text) ? message.slice(0, message.length - text.length) : message;
}

/** Whether a value is the mask of a secret, as it is shown, and not the secret. */
export const isMask = (name: string, value: unknown): boolean => value === MASK && isSecret(name);

/** Values as they may be shown: secrets masked, those of objects inside too. */
export function masked(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(shown);
    return typeof value === 'object' && value !== null ? masked(value as Record<string, unknown>) : value;
  };
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, isSecret(name) ? MASK : shown(value)]),
  );
}

const beingChanged = (id: string) =>
  new ConfRefused(`Configuration "${id}" is being changed by others all the time; try again.`);

const sentenceOf = ({ property, given, allowed }: ConfProblem) =>
  `Property ${property} cannot be ${JSON.stringify(given)}: it takes ${allowed}.`;

/** Every property's text, unknown ones included, before references are expanded. */
function effectiveTexts(params: Params): Map<string, string> {
  const texts = new Map<string, string>();
  for (const name of propertyNames) texts.set(name, propertyOf(name)?.defaultText ?? '');
  for (const [name, given] of Object.entries(params)) texts.set(name, asText(name, given));
  return texts;
}

/** Values as text that PostgreSQL can store, in an object without a prototype. Throws ConfRefused for bad names. */
function textParams(params: Params): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, given] of Object.entries(params)) {
    if (refusedNames.has(name) || name.length > MAX_NAME_LENGTH || !nameShape.test(name)) {
      throw new ConfRefused(
        `${JSON.stringify(name.slice(0, 100))} cannot name a property: 1 to ${MAX_NAME_LENGTH} characters without spaces.`,
      );
    }
    if (propertyOf(name) !== undefined && (given === null || (typeof given === 'object' && !Array.isArray(given)))) {
      const problem = {
        property: name,
        given: isSecret(name) ? MASK : asText(name, given),
        allowed: propertyOf(name)?.allowed ?? '',
      };
      throw new ConfRefused(sentenceOf(problem), [problem]);
    }
    texts[name] = storable(asText(name, given));
  }
  return texts;
}
