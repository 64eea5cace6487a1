/**
 * Budgets against endless sites whose URLs look ordinary: they limit the pages of a host, the URLs of a template of a
 * host, and templates whose pages are near duplicates. They apply to new URLs only; known pages are kept.
 */
import { type TemplateTally, isMonotonous } from './similar-pages.js';
import { urlTemplate } from './url-template.js';

/** The properties that set the budgets, under their names. -1: no limit. */
export interface BudgetLimits {
  readonly 'trap.host.pages': number;
  readonly 'trap.template.pages': number;
  readonly 'trap.template.similar.after': number;
  readonly 'trap.template.similar.bits': number;
  readonly 'trap.template.similar.share': number;
}

export type BudgetReason = 'host-budget' | 'template-budget' | 'template-stopped';

/** The state of a template of a host in a crawl. */
export interface KnownTemplate extends TemplateTally {
  readonly added: number;
  readonly stopped: boolean;
}

export const newTemplate: KnownTemplate = { added: 0, stopped: false, seen: 0, similar: 0, samples: [] };

/** Whether any budget is set at all. */
export const hasBudgets = (limits: BudgetLimits): boolean =>
  limits['trap.host.pages'] >= 0 || hasTemplateBudgets(limits);

export const hasTemplateBudgets = (limits: BudgetLimits): boolean =>
  limits['trap.template.pages'] >= 0 || limits['trap.template.similar.after'] >= 0;

/** The template of a URL, if it contains a placeholder; null for one of words only, which no program enumerates. */
export function countedTemplate(url: string): string | null {
  const template = urlTemplate(url);
  return template.includes('{') ? template : null;
}

/** Whether no further URLs of the template are added, as its pages are near duplicates. */
export const isStopped = (known: KnownTemplate, limits: BudgetLimits): boolean =>
  known.stopped || isMonotonous(known, limits['trap.template.similar.after'], limits['trap.template.similar.share']);

/** Why another URL is refused, when its host has `pages` and its template is `known`; null when it is allowed. */
export function budgetRefusal(
  { pages, known }: { pages: number; known: KnownTemplate | null },
  limits: BudgetLimits,
): BudgetReason | null {
  if (known !== null && hasTemplateBudgets(limits)) {
    if (limits['trap.template.similar.after'] >= 0 && isStopped(known, limits)) return 'template-stopped';
    const max = limits['trap.template.pages'];
    if (max >= 0 && known.added >= max) return 'template-budget';
  }
  const max = limits['trap.host.pages'];
  return max >= 0 && pages >= max ? 'host-budget' : null;
}
