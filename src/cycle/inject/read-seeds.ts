/** From the lines of a seed list to the pages to inject, normalized and filtered in scope `inject`. */
import type { AdmitOptions, Rejection, UrlRules } from '../../core/url/url-rules.js';
import { type SeedLine, parseSeedLine } from '../../core/page/seed-line.js';
import type { SeedScore } from '../../core/score/scoring-filter.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import type { Rule } from '../../core/url/linear-regex.js';
import type { Count } from '../step.js';
import type { Injected } from './inject.sql.js';

export interface SeedOptions extends AdmitOptions {
  rules: UrlRules;
  count: Count;
  scores: SeedScores;
  /** Is called for each URL that makes no page. */
  refused?: (seed: RefusedSeed) => void;
}

export interface RefusedSeed {
  readonly line: string;
  /** As the seed line has it. */
  readonly url: string;
  readonly rejected: Rejection;
  readonly plugin?: string;
  readonly rule?: Rule;
}

/** The initial score of a seed: a scoring filter may change it. */
export interface SeedScores {
  /** Null: no filter changes it. */
  readonly seedScore: SeedScore | null;
  /** `db.score.injected` */
  readonly injected: number;
}

/** The pages of a chunk of lines, each once: of two lines with the same URL the first one counts. */
export function admittedSeeds(
  lines: string[],
  { rules, count, scores, refused, ...switches }: SeedOptions,
): Injected[] {
  const pages = new Map<string, Injected>();
  for (const { line, seed } of lines.flatMap((each) => seedsOf(each).map((seed) => ({ line: each, seed })))) {
    const admitted = rules.admit(seed.url, 'inject', switches);
    if ('rejected' in admitted) {
      count('injector', 'urls_filtered');
      count('injector_rejected', admitted.rejected);
      refused?.({ ...admitted, line, url: seed.url });
      continue;
    }
    if (pages.has(admitted.key)) {
      count('injector', 'urls_duplicate');
      continue;
    }
    pages.set(admitted.key, {
      host: hostKeyOf(admitted.key),
      key: admitted.key,
      score: scoreOf(seed, admitted.url, scores),
      fetchInterval: seed.fetchInterval ?? null,
      status: seed.status ?? null,
      metadata: seed.metadata,
      mark: seed.sitemap ? 's' : 'y',
    });
  }
  count('injector', 'urls_injected', pages.size);
  return [...pages.values()];
}

/** The score of a seed line, or null for the default. */
function scoreOf({ score, metadata }: SeedLine, url: string, { seedScore, injected }: SeedScores): number | null {
  if (seedScore === null) return score ?? null;
  const start = score ?? injected;
  return seedScore({ url, score: start, metadata }, start);
}

/** The seed of a line and, after it, the sitemaps it names: those have nothing but their URL (2.x). */
function seedsOf(line: string): SeedLine[] {
  const seed = parseSeedLine(line);
  if (!seed) return [];
  return [seed, ...seed.sitemaps.map((url) => ({ url, metadata: {}, sitemap: true, sitemaps: [] }))];
}
