/**
 * The budgets of hosts and templates (`trap.*`), applied to one chunk of UPDATEDB: the pages of the chunk are counted for
 * their templates, then each URL that would be new is accepted or refused. A refused link is treated as one
 * that leads nowhere. All of it is part of the chunk's transaction, so a repeated chunk counts once.
 */
import {
  type BudgetLimits,
  type BudgetReason,
  type KnownTemplate,
  countedTemplate,
  hasTemplateBudgets,
  isStopped,
  newTemplate,
  budgetRefusal,
} from '../../core/trap/budget.js';
import { tallied } from '../../core/trap/similar-pages.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import type { Sql } from '../../db/sql.js';
import type { Count } from '../step.js';
import type { Rewrites } from '../filter-links.js';
import type { Contributor } from './update-chunk.sql.js';
import type { LinkOptions } from './proposed-rows.sql.js';
import type { Source } from './updatedb.sql.js';
import { type TemplateOfHost, lockTemplates, saveTemplates, newTargets, pagesOfHosts } from './trap-budget.sql.js';

interface LockedTemplate extends TemplateOfHost {
  known: KnownTemplate;
  refused: number;
}

/** A URL that would be new. */
interface Target {
  readonly host: string;
  readonly key: string;
  readonly template: string | null;
}

/** The row of a host itself in the table of templates: locking it makes tasks that add pages to one host wait for each other. */
const WHOLE_HOST = '';
const templateKey = ({ host, template }: TemplateOfHost): string => `${host} ${template}`;

/** The options in which links beyond a budget lead nowhere; each refusal is counted by its reason. */
export async function withinBudgets(
  tx: Sql,
  chunk: { sources: readonly Source[]; contributors: readonly Contributor[]; limits: BudgetLimits; count: Count },
  options: LinkOptions,
): Promise<LinkOptions> {
  if (!options.additions) return options;
  const { crawl } = options;
  const { limits, count } = chunk;
  const seen = firstSignatures(chunk.sources, limits);
  const pages = await newTargets(tx, crawl, chunk.contributors, options.rewrites);
  const targets = pages.map(({ host, key }) => ({ host, key, template: templateOf(key, limits) }));
  const locked = await lock(tx, crawl, templatesNamed(seen, targets, limits));
  for (const [name, group] of seen) {
    const template = locked.get(name);
    if (template)
      template.known = {
        ...template.known,
        ...tallied(template.known, group.signatures, limits['trap.template.similar.bits']),
      };
  }
  const refused = await refuse(tx, crawl, { targets, locked, limits });
  for (const template of locked.values())
    template.known = { ...template.known, stopped: isStopped(template.known, limits) };
  await saveTemplates(tx, crawl, [...locked.values()]);
  for (const reason of refused.values()) count('UpdateDb', `refused_${reason.replace('-', '_')}`);
  return refused.size === 0 ? options : { ...options, rewrites: leadingNowhere(options.rewrites, refused) };
}

const templateOf = (key: string, limits: BudgetLimits): string | null =>
  hasTemplateBudgets(limits) ? countedTemplate(unreverseUrl(key)) : null;

/** Signatures of pages that were read for the first time, by host and template: a page is no duplicate of itself. */
function firstSignatures(
  sources: readonly Source[],
  limits: BudgetLimits,
): Map<string, TemplateOfHost & { signatures: string[] }> {
  const seen = new Map<string, TemplateOfHost & { signatures: string[] }>();
  if (limits['trap.template.similar.after'] < 0) return seen;
  for (const { host, key, parsed, signature, prevSignature } of sources) {
    const template = parsed && signature !== null && prevSignature === null ? templateOf(key, limits) : null;
    if (template === null || signature === null) continue;
    const group = seen.get(templateKey({ host, template })) ?? { host, template, signatures: [] };
    group.signatures.push(signature);
    seen.set(templateKey(group), group);
  }
  return seen;
}

function templatesNamed(
  seen: ReadonlyMap<string, TemplateOfHost>,
  targets: readonly Target[],
  limits: BudgetLimits,
): TemplateOfHost[] {
  const names = new Map<string, TemplateOfHost>(seen);
  for (const { host, template } of targets) {
    if (template !== null) names.set(templateKey({ host, template }), { host, template });
    if (limits['trap.host.pages'] >= 0)
      names.set(templateKey({ host, template: WHOLE_HOST }), { host, template: WHOLE_HOST });
  }
  return [...names.values()].map(({ host, template }) => ({ host, template }));
}

async function lock(tx: Sql, crawl: number, names: readonly TemplateOfHost[]): Promise<Map<string, LockedTemplate>> {
  const templates = names.length === 0 ? [] : await lockTemplates(tx, crawl, names);
  return new Map(
    templates.map(({ host, template, ...known }) => [
      templateKey({ host, template }),
      { host, template, known, refused: 0 },
    ]),
  );
}

/** The keys that are refused, with the reason; accepted ones are counted for their template and host. */
async function refuse(
  tx: Sql,
  crawl: number,
  {
    targets,
    locked,
    limits,
  }: { targets: readonly Target[]; locked: Map<string, LockedTemplate>; limits: BudgetLimits },
): Promise<Map<string, BudgetReason>> {
  const hosts = [...new Set(targets.map(({ host }) => host))];
  // Read after the hosts' own rows were locked: other tasks have committed what they added.
  const pages = limits['trap.host.pages'] >= 0 ? await pagesOfHosts(tx, crawl, hosts) : new Map<string, number>();
  const refused = new Map<string, BudgetReason>();
  for (const { host, key, template } of targets) {
    const ofTemplate = template === null ? undefined : locked.get(templateKey({ host, template }));
    const whole = locked.get(templateKey({ host, template: WHOLE_HOST }));
    const reason = budgetRefusal(
      { pages: pages.get(host) ?? 0, known: ofTemplate?.known ?? (template === null ? null : newTemplate) },
      limits,
    );
    const counted = reason === 'host-budget' ? whole : ofTemplate;
    if (reason !== null) {
      refused.set(key, reason);
      if (counted) counted.refused++;
      continue;
    }
    pages.set(host, (pages.get(host) ?? 0) + 1);
    if (ofTemplate) ofTemplate.known = { ...ofTemplate.known, added: ofTemplate.known.added + 1 };
  }
  return refused;
}

/** The rewrites plus further targets that lead nowhere, whether they are written on a page or made by a rewrite. */
function leadingNowhere(rewrites: Rewrites | undefined, refused: ReadonlyMap<string, BudgetReason>): Rewrites {
  const { from, to } = rewrites ?? { from: [], to: [] };
  const known = new Set(from);
  const further = [...refused.keys()].filter((key) => !known.has(key));
  return {
    from: [...from, ...further],
    to: [...to.map((key) => (key !== null && refused.has(key) ? null : key)), ...further.map(() => null)],
  };
}
