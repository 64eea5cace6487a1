/**
 * Whether a page may be generated at all, before its position in the batch matters. Each check has the name of the
 * counter for the pages it leaves out; the job stops at the first that fails, the inspector runs them all.
 */
import type { Admission, AdmitOptions, UrlRules } from '../url/url-rules.js';
import { unlessNegated } from '../conf/negated-flag.js';
import type { Conf } from '../conf/properties.js';
import { statusCode } from '../page/page-status.js';
import { hostKeyOf, unreverseUrl } from '../url/row-key.js';
import type { SortedPage } from '../score/scoring-filter.js';

export type LeftOut =
  | 'NOT_DUE'
  | 'HOST_DRAINED'
  | 'HOST_BLOCKED'
  | 'DISTANCE'
  | 'SCORE_TOO_LOW'
  | 'STATUS_REJECTED'
  | 'INTERVAL_REJECTED'
  | 'URL_FILTERS_REJECTED';

/** Why the pages of a host are left out. */
export type HostExclusion = Extract<LeftOut, 'HOST_BLOCKED' | 'HOST_DRAINED'>;

/** The page as it is checked. */
export interface EligiblePage {
  key: string;
  score: number;
  distance: number;
  status: number;
  fetchInterval: number;
  /** Whether it is due at the time of the run. */
  due: boolean;
  /** Why its host is excluded now; null: it is not. For candidates of a cursor it is set after they are read. */
  excluded: HostExclusion | null;
  /** Read only if a scoring filter sorts by more than the score. */
  metadata?: Record<string, string> | null;
}

/** Arguments of GENERATE that overrule `generate.normalise` and `generate.filter`; those that start with `no` are of 1.x. */
export interface UrlRuleArgs {
  readonly normalize?: boolean;
  readonly noNorm?: boolean;
  readonly filter?: boolean;
  readonly noFilter?: boolean;
}

/** The value that GENERATE sorts by; null: the score. */
export type SortValueOf = ((page: SortedPage) => number) | null;

export class Eligibility {
  private readonly options: AdmitOptions;
  /** The last verdict: the page is asked for it twice. */
  private last: { readonly key: string; readonly admission: Admission } | undefined;
  private readonly questions: readonly (readonly [name: LeftOut, no: (page: EligiblePage) => boolean])[];

  constructor(
    conf: Conf,
    args: UrlRuleArgs,
    private readonly rules: UrlRules,
    private readonly sortValue: SortValueOf,
  ) {
    const normalize = args.normalize ?? unlessNegated(args.noNorm, conf['generate.normalise']);
    const filter = args.filter ?? unlessNegated(args.noFilter, conf['generate.filter']);
    this.options = { normalize, filter };
    const maxDistance = conf['generate.max.distance'];
    const minInterval = conf['generate.min.interval'];
    const statusName = conf['generate.restrict.status'];
    this.questions = [
      ['NOT_DUE', (page) => !page.due],
      ['HOST_DRAINED', (page) => page.excluded === 'HOST_DRAINED'],
      ['HOST_BLOCKED', (page) => page.excluded === 'HOST_BLOCKED'],
      ['DISTANCE', (page) => maxDistance >= 0 && page.distance > maxDistance],
      ['SCORE_TOO_LOW', (page) => this.valueOf(page) < conf['generate.min.score']],
      ['STATUS_REJECTED', (page) => statusName !== '' && statusCode(statusName) !== page.status],
      ['INTERVAL_REJECTED', (page) => minInterval >= 0 && page.fetchInterval > minInterval],
      ['URL_FILTERS_REJECTED', (page) => (normalize || filter) && this.isRejected(page)],
    ];
  }

  /** What GENERATE sorts the page by: its score, or the value of the scoring filters. */
  valueOf({ key, score, distance, status, metadata }: EligiblePage): number {
    if (this.sortValue === null) return score;
    return this.sortValue({ url: unreverseUrl(key), score, distance, status, metadata: metadata ?? {} });
  }

  /** The first reason to leave a page out, or null. */
  leftOut(page: EligiblePage): LeftOut | null {
    for (const [name, no] of this.questions) if (no(page)) return name;
    return null;
  }

  /** All reasons to leave a page out. */
  allLeftOut(page: EligiblePage): LeftOut[] {
    return this.questions.filter(([, no]) => no(page)).map(([name]) => name);
  }

  /**
   * A scheme without a protocol is no reason, as in Nutch: FETCH reports it (PROTO_NOT_FOUND). The filters decide all the
   * same.
   */
  private isRejected(page: EligiblePage): boolean {
    const admission = this.admission(page);
    if (!('rejected' in admission)) return false;
    if (admission.rejected !== 'scheme') return true;
    return this.options.filter && !this.rules.filter(unreverseUrl(page.key)).accepted;
  }

  /** The verdict of the URL rules on the page, in GENERATE's scope. */
  admission({ key }: Pick<EligiblePage, 'key'>): Admission {
    if (this.last?.key !== key)
      this.last = { key, admission: this.rules.admit(unreverseUrl(key), 'generate_host_count', this.options) };
    return this.last.admission;
  }

  /** The host, reversed, by which `generate.max.count` counts the page: that of the URL as the normalizers write it. */
  countedHost(page: { key: string; host: string }): string {
    if (!this.options.normalize) return page.host;
    const admission = this.admission(page);
    return 'key' in admission ? hostKeyOf(admission.key) : page.host;
  }
}
