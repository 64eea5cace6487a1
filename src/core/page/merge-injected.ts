/**
 * What stays when a URL that is known already is injected again (Nutch 1.x `Injector.InjectReducer`).
 *
 * Three answers, chosen by two switches: the stored record stays (the default), the injected record replaces it
 * (`db.injector.overwrite`, which wins over the other switch), or the stored record stays and takes over metadata,
 * and those of score and interval that the seed line set on purpose (`db.injector.update`).
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
  // A value equal to the default was most likely not set on the line, so it does not replace what was learnt since.
  const record: InjectedRecord = {
    score: injected.score === rules['db.score.injected'] ? stored.score : injected.score,
    fetchInterval:
      injected.fetchInterval === rules['db.fetch.interval.default'] ? stored.fetchInterval : injected.fetchInterval,
    metadata: { ...stored.metadata, ...injected.metadata },
  };
  return { action: 'update', record };
}
