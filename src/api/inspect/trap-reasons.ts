/** Budgets that keep a URL out of a crawl, checked by the code that decides for UPDATEDB. */
import type { Conf } from '../../core/conf/properties.js';
import { type BudgetReason, countedTemplate, hasBudgets, newTemplate, budgetRefusal } from '../../core/trap/budget.js';
import { knownTemplate, pagesOfHosts } from '../../cycle/updatedb/trap-budget.sql.js';
import { hostKeyOf } from '../../core/url/row-key.js';
import type { Sql } from '../../db/sql.js';
import { type Reason, blocked } from './reason.js';

/** Why UPDATEDB would not add an unknown URL; empty when no budget is set, or none is used up. */
export async function trapReasons(
  db: Sql,
  crawl: number,
  conf: Conf,
  { url, key }: { url: string; key: string },
): Promise<Reason[]> {
  if (!hasBudgets(conf)) return [];
  const host = hostKeyOf(key);
  const template = countedTemplate(url);
  const known = template === null ? null : await knownTemplate(db, crawl, { host, template });
  const pages = (await pagesOfHosts(db, crawl, [host])).get(host) ?? 0;
  const refused = budgetRefusal({ pages, known }, conf);
  return refused === null
    ? []
    : [sentences[refused]({ template: template ?? '', known: known ?? newTemplate, pages, conf })];
}

interface FoundTemplate {
  template: string;
  known: typeof newTemplate;
  pages: number;
  conf: Conf;
}

const sentences: Readonly<Record<BudgetReason, (template: FoundTemplate) => Reason>> = {
  'template-stopped': ({ template, known: { seen, similar } }) => {
    const property = 'trap.template.similar.after';
    const message = `No further URLs of the template ${template} are added: of ${seen} pages that were read, ${similar} were near duplicates (${property}).`;
    return blocked('TEMPLATE_STOPPED', message, { property });
  },
  'template-budget': ({ template, known: { added }, conf }) => {
    const property = 'trap.template.pages';
    const message = `${added} URLs of the template ${template} were added: ${property} is ${conf[property]}.`;
    return blocked('TEMPLATE_BUDGET', message, { property });
  },
  'host-budget': ({ pages, conf }) => {
    const property = 'trap.host.pages';
    return blocked('HOST_BUDGET', `Its host has ${pages} pages: ${property} is ${conf[property]}.`, { property });
  },
};
