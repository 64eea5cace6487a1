import { filteredForms, type UrlRules } from './url-rules.js';
import type { Rule } from './linear-regex.js';
import { webUrl } from './web-url.js';

/** The result of one plugin for a URL. */
export interface UrlStep {
  readonly plugin: string;
  readonly kind: 'normalizer' | 'filter';
  readonly before: string;
  /** The URL after the step, null when the step dropped it. */
  readonly after: string | null;
  /** Rules that changed the URL, or the one that decided; none when the plugin acted without a rule. */
  readonly rules: readonly Rule[];
}

/**
 * The steps of a URL through the rules, plugin by plugin, up to the one that drops it.
 * The first pass of the normalizers is always listed, later ones only if they change the URL.
 */
export function explainUrl(rules: UrlRules, url: string, scope: string): UrlStep[] {
  const steps: UrlStep[] = [];
  let current: string | null = url;
  for (let pass = 0; pass < rules.loopCount && current !== null; pass++) {
    const before: string = current;
    const normalized: UrlStep[] = normalizerSteps(rules, before, scope);
    current = normalized.length > 0 ? (normalized.at(-1)?.after ?? null) : before;
    if (pass > 0 && current === before) break;
    steps.push(...normalized);
    if (current === before) break;
  }
  if (current === null) return steps;
  const form = webUrl(current, rules.schemes);
  const [normal = current, stored] = 'url' in form ? filteredForms(current, form.url) : [current];
  const judged = filterSteps(rules, normal);
  const isAccepted = judged.at(-1)?.after !== null;
  // Steps for the stored form of the URL are listed only if they reject it.
  const decided =
    isAccepted && stored !== undefined ? filterSteps(rules, stored).filter(({ after }) => after === null) : [];
  return [...steps, ...judged, ...decided];
}

function normalizerSteps(rules: UrlRules, url: string, scope: string): UrlStep[] {
  const steps: UrlStep[] = [];
  let current = url;
  for (const { id, run } of rules.normalizersOf(scope)) {
    const after = run.normalize(current);
    steps.push({ plugin: id, kind: 'normalizer', before: current, after, rules: run.appliedRules?.(current) ?? [] });
    if (after === null) return steps;
    current = after;
  }
  return steps;
}

function filterSteps(rules: UrlRules, url: string): UrlStep[] {
  const steps: UrlStep[] = [];
  for (const { id, run } of rules.filters) {
    const { accepted, rule } = run(url);
    const deciding = rule === null ? [] : [rule];
    steps.push({ plugin: id, kind: 'filter', before: url, after: accepted ? url : null, rules: deciding });
    if (!accepted) break;
  }
  return steps;
}
