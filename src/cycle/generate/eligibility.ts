/**
 * Whether a page may be generated at all, before its position in the batch matters. Each check has the name of the
 * counter for the pages it leaves out; the job stops at the first that fails, the inspector runs them all.
 */
import type { Conf } from '../../conf/properties.js';
import { statusCode } from '../../core/page/page-status.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type Scoring, makeScoring } from '../../plugin/scoring.js';
import type { Admission, AdmitOptions, UrlRules } from '../../plugin/url-rules.js';
import type { GenerateArgs } from './generate.args.js';
import type { Candidate } from './candidates.sql.js';

export type LeftOut =
  | 'NOT_DUE'
  | 'HOST_DRAINED'
  | 'HOST_BLOCKED'
  | 'DISTANCE'
  | 'SCORE_TOO_LOW'
  | 'STATUS_REJECTED'
  | 'INTERVAL_REJECTED'
  | 'URL_FILTERS_REJECTED';

export class Eligibility {
  private readonly options: AdmitOptions;
  private readonly questions: readonly (readonly [name: LeftOut, no: (page: Candidate) => boolean])[];

  constructor(
    conf: Conf,
    args: GenerateArgs,
    private readonly rules: UrlRules,
    private readonly scoring: Scoring = makeScoring(conf),
  ) {
    const normalize = args.normalize ?? (args.noNorm ? false : conf['generate.normalise']);
    const filter = args.filter ?? (args.noFilter ? false : conf['generate.filter']);
    this.options = { normalize, filter };
    const maxDistance = conf['generate.max.distance'];
    const minInterval = conf['generate.min.interval'];
    const wanted = conf['generate.restrict.status'];
    this.questions = [
      ['NOT_DUE', (page) => !page.due],
      ['HOST_DRAINED', (page) => page.excluded === 'HOST_DRAINED'],
      ['HOST_BLOCKED', (page) => page.excluded === 'HOST_BLOCKED'],
      ['DISTANCE', (page) => maxDistance >= 0 && page.distance > maxDistance],
      ['SCORE_TOO_LOW', (page) => this.valueOf(page) < conf['generate.min.score']],
      ['STATUS_REJECTED', (page) => wanted !== '' && statusCode(wanted) !== page.status],
      ['INTERVAL_REJECTED', (page) => minInterval >= 0 && page.fetchInterval > minInterval],
      ['URL_FILTERS_REJECTED', (page) => (normalize || filter) && this.isRejected(page)],
    ];
  }

  /** What GENERATE sorts the page by: its score, or the value of the scoring filters. */
  valueOf({ key, score, distance, status, metadata }: Candidate): number {
    const { sortValue } = this.scoring;
    if (sortValue === null) return score;
    return sortValue({ url: unreverseUrl(key), score, distance, status, metadata: metadata ?? {} });
  }

  /** The first reason to leave a page out, or null. */
  leftOut(page: Candidate): LeftOut | null {
    for (const [name, no] of this.questions) if (no(page)) return name;
    return null;
  }

  /** All reasons to leave a page out. */
  allLeftOut(page: Candidate): LeftOut[] {
    return this.questions.filter(([, no]) => no(page)).map(([name]) => name);
  }

  /** A scheme without a protocol is no reason, as in Nutch: FETCH reports it (PROTO_NOT_FOUND). The filters decide all the same. */
  private isRejected(page: Candidate): boolean {
    const admission = this.admission(page);
    if (!('rejected' in admission)) return false;
    if (admission.rejected !== 'scheme') return true;
    return this.options.filter && !this.rules.filter(unreverseUrl(page.key)).accepted;
  }

  /** The verdict of the URL rules on the page, in GENERATE's scope. */
  admission({ key }: Candidate): Admission {
    return this.rules.admit(unreverseUrl(key), 'generate_host_count', this.options);
  }
}
