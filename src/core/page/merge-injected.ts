/**
 * Merges an injected URL with a stored page of the same URL (Nutch 1.x `Injector.InjectReducer`).
 *
 * Two properties select one of three results: the stored record is kept (the default), the injected record replaces it
 * (`db.injector.overwrite`, which takes precedence), or the stored record takes over the metadata, and score and
 * interval where the seed line sets them (`db.injector.update`).
 */

/** The part of a page that inject may change. `fetchInterval` in seconds. */
export interface InjectedRecord {
  readonly score: number;
  readonly fetchInterval: number;
  readonly metadata: Readonly<Record<string, string>>;
}

export interface InjectRules {
  readonly 'db.injector.overwrite': boolean;
  readonly 'db.injector.update': boolean;
  readonly 'db.score.injected': number;
  readonly 'db.fetch.interval.default': number;
}

/**
 * `insert` and `replace` write the injected record as a new unfetched page, due now; `update` changes only the values
 * in `record`; `keep` writes nothing.
 */
export interface MergedRecord {
  readonly action: 'insert' | 'replace' | 'update' | 'keep';
  readonly record: InjectedRecord;
}

/** Decides between the stored record (null for a new URL) and the injected one. */
export function mergeInjected(
  stored: InjectedRecord | null,
  injected: InjectedRecord,
  rules: InjectRules,
): MergedRecord {
  if (stored === null) return { action: 'insert', record: injected };
  if (rules['db.injector.overwrite']) return { action: 'replace', record: injected };
  if (!rules['db.injector.update']) return { action: 'keep', record: stored };
  // A value equal to the default was most likely not set on the line, so it does not replace the stored value.
  const record: InjectedRecord = {
    score: injected.score === rules['db.score.injected'] ? stored.score : injected.score,
    fetchInterval:
      injected.fetchInterval === rules['db.fetch.interval.default'] ? stored.fetchInterval : injected.fetchInterval,
    metadata: { ...stored.metadata, ...injected.metadata },
  };
  return { action: 'update', record };
}
