/** Reads named configurations: their params, the values in force with the rules of their files, the values as they are shown. */
import type { Pool } from 'pg';
import { Not, type Repository } from 'typeorm';
import { RuleError } from '../core/url/linear-regex.js';
import type { PooledDataSource } from '../db/pooled-data-source.js';
import { type StoredParams, hasRow, hasRulesOrIsLong, sizeOfParams, storedParams } from './conf.sql.js';
import { ConfRefused, effectiveTexts, textParams, valuesRefused } from './conf-texts.js';
import { ConfigurationEntity } from './configuration.entity.js';
import { VariableExpansion } from '../core/conf/expand.js';
import { PropertyRefused } from '../core/conf/property-refused.js';
import { isPlain, slowProperties } from '../core/conf/plain-params.js';
import { type Conf, type Params, type ParsedConf, MASK, parseConf, propertyOf } from '../core/conf/properties.js';
import { propertiesOfDefault } from '../core/conf/properties.server.js';
import { ruleFilePairs } from '../core/conf/rule-file-pairs.js';
import { type FileValues, fileValues, wantedFiles, withValues } from '../core/conf/rule-file-values.js';
import { RuleFileStore } from './rule-file.store.js';
import { errorMessage } from '../core/error-message.js';
import { isShownMasked } from './secret-masks.js';

export const DEFAULT_CONF_ID = 'default';
/** Bytes of a small configuration, and of a short one. */
const SMALL_BYTES = 65_536;
const SHORT_BYTES = 16_384;
/** The names under which Nutch ships files of rules. */
const shippedFiles = ruleFilePairs.map(({ file }) => String(propertyOf(file)?.default)).filter((name) => name !== '');

export interface ConfStoreOptions {
  /** CONF_FILE: overrides the shipped defaults of every configuration. */
  overlay?: Params;
  /** Refuses, by throwing an Error with a precise message, values that the table of properties cannot check (expressions). */
  check?: (conf: Conf) => void;
  /** Whether another process has checked the overlay; default false. */
  isChecked?: boolean;
}

export class ConfReading {
  protected readonly db: Pool;
  protected readonly configurations: Repository<ConfigurationEntity>;
  readonly overlay: Params;
  private readonly check: (conf: Conf) => void;
  private readonly files: RuleFileStore;

  /** Throws ConfRefused if the overlay has a value that is not allowed; rule files are not read. */
  constructor(dataSource: PooledDataSource, options: ConfStoreOptions = {}) {
    this.db = dataSource.pool;
    this.configurations = dataSource.getRepository(ConfigurationEntity);
    this.files = new RuleFileStore(dataSource);
    this.overlay = textParams(options.overlay ?? {});
    this.check = options.check ?? (() => undefined);
    if (!options.isChecked) this.examine(this.read({}));
  }

  /** The ids of all configurations: `default`, then the others in order. */
  async ids(): Promise<string[]> {
    const named = await this.configurations.find({
      select: { id: true },
      where: { id: Not(DEFAULT_CONF_ID) },
      order: { id: 'ASC' },
    });
    return [DEFAULT_CONF_ID, ...named.map(({ id }) => id)];
  }

  /** Whether there is a configuration of this id. */
  async isKnown(id: string): Promise<boolean> {
    return id === DEFAULT_CONF_ID || (!id.includes('\0') && (await hasRow(this.db, id)));
  }

  /** The configuration of this id, or undefined. Without the rules of its files: see `findWithRules`. */
  async find(id: string): Promise<ParsedConf | undefined> {
    const params = await this.paramsOf(id);
    return params && parseConf(params, this.overlay);
  }

  /**
   * The params that a new configuration of this id begins with: those of `default` as they are now. Secrets are included,
   * unmasked.
   */
  async inherited(id: string | undefined): Promise<Params> {
    if (id === DEFAULT_CONF_ID) return {};
    const params = Object.entries((await this.paramsOf(DEFAULT_CONF_ID))!);
    return Object.fromEntries(params.filter(([name]) => !propertiesOfDefault.includes(name)));
  }

  /**
   * Whether a configuration is short, has no rules of its own and runs no external plugins: then reading it and applying its
   * rules takes negligible time. True for an unknown one.
   */
  async appliesFast(id: string): Promise<boolean> {
    if (id.includes('\0')) return true;
    const properties = slowProperties();
    if (properties.some((name) => Object.hasOwn(this.overlay, name))) return false;
    return !(await hasRulesOrIsLong(this.db, id, {
      files: shippedFiles,
      properties,
      bytes: SHORT_BYTES,
    }));
  }

  /** Whether the values of a configuration are short and plain: then a plain change of it is checked in negligible time. */
  async isPlain(id: string): Promise<boolean> {
    return (await this.appliesFast(id)) && isPlain({ ...this.overlay, ...(await this.paramsOf(id)) });
  }

  /** Whether the values of a configuration, without its rule files, are read in negligible time. True for an unknown one. */
  async readsFast(id: string): Promise<boolean> {
    if (id.includes('\0')) return true;
    return (await sizeOfParams(this.db, id)) <= SMALL_BYTES;
  }

  /**
   * The configuration of this id with the rules of its files, as a job would have it; undefined for an unknown id. Throws
   * ConfRefused.
   */
  async findWithRules(id: string): Promise<Conf | undefined> {
    const params = await this.paramsOf(id);
    return params && withValues(params, this.overlay, await this.filesOf(parseConf(params, this.overlay).conf));
  }

  /** A configuration with these params, the rules of its files included, as a job would have it. Throws ConfRefused. */
  async effective(params: Params): Promise<Conf> {
    const texts = textParams(params);
    return withValues(texts, this.overlay, await this.filesOf(parseConf(texts, this.overlay).conf));
  }

  /**
   * A configuration with stored params; without the rules of its files if one of them is missing, so that this can be
   * corrected.
   */
  inForce(params: Params): Promise<Conf> {
    return this.effective(params).catch(() => parseConf(params, this.overlay).conf);
  }

  /** The present configuration `default`; without the rules of its files if one of them is missing. */
  async inForceByDefault(): Promise<Conf> {
    return this.inForce((await this.paramsOf(DEFAULT_CONF_ID))!);
  }

  /**
   * Every property as text, references expanded, secrets masked, sorted by name; undefined for an unknown id.
   * A value whose references cannot be expanded is shown as it was given.
   * @param only the one property to show; default all
   */
  async shown(id: string, only?: string): Promise<Record<string, string> | undefined> {
    const params = await this.paramsOf(id);
    return params && this.show(params, only);
  }

  private show(params: Params, only?: string): Record<string, string> {
    const texts = effectiveTexts({ ...this.overlay, ...params });
    const shown: Record<string, string> = Object.create(null);
    // A secret is masked where it is referred to, too.
    const seen = (name: string) => (isShownMasked(name, texts.get(name) ?? '') ? MASK : texts.get(name));
    const expansion = new VariableExpansion((reference) => (texts.has(reference) ? seen(reference) : undefined));
    const names = only === undefined ? [...texts.keys()].sort() : [only].filter((name) => texts.has(name));
    for (const name of names) {
      const text = seen(name) ?? '';
      shown[name] = expansion.expand(text) ?? text;
    }
    return shown;
  }

  /** The params of a configuration's row; undefined for an unknown id. */
  async paramsOf(id: string): Promise<Params | undefined> {
    return (await this.stored(id))?.params;
  }

  /** The row of a configuration; `default` may have none, and then has no params and no version. Undefined for an unknown id. */
  protected async stored(id: string): Promise<StoredParams | undefined> {
    if (id.includes('\0')) return undefined;
    return (await storedParams(this.db, id)) ?? (id === DEFAULT_CONF_ID ? { params: {}, version: null } : undefined);
  }

  /** The configuration of its own values. Throws ConfRefused for a value that is not allowed. */
  protected read(params: Params): Conf {
    const { conf, problems } = parseConf(params, this.overlay);
    if (problems.length > 0) throw valuesRefused(problems);
    return conf;
  }

  /** The rules of the files that a configuration names. Throws ConfRefused. */
  async filesOf(conf: Conf): Promise<FileValues> {
    const stored = await this.files.contents(wantedFiles(conf).map(({ file }) => String(conf[file])));
    try {
      return fileValues(conf, stored);
    } catch (error) {
      throw refusalOf(error);
    }
  }

  /** Throws ConfRefused for values that the table cannot check; rules of a file under the name of the file. */
  examine(conf: Conf, files?: FileValues): void {
    try {
      this.check(conf);
    } catch (error) {
      throw refusalOf(error, files);
    }
  }
}

/** The refusal of a configuration for an error in the use of its values; one of a rule in a file names the file's property. */
function refusalOf(error: unknown, files?: FileValues): ConfRefused {
  if (!(error instanceof PropertyRefused)) return new ConfRefused(errorMessage(error));
  const { property, message, cause } = error;
  const source = files?.sources.get(property);
  if (source === undefined || !(cause instanceof RuleError)) return new ConfRefused(message, [{ property, message }]);
  // Without the text of the rule: only admins may read the file, and the caller gets the position.
  const ofFile = `${source.file} (${source.name}): ${cause.withoutText}`;
  return new ConfRefused(ofFile, [{ property: source.file, message: ofFile }]);
}
