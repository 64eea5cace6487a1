/** The statements by which UPDATEDB counts the URLs of a template, and of a host, against the budgets of `trap.*`. */
import { type KnownTemplate, newTemplate } from '../../core/trap/budget.js';
import { lockByHost, lockInOrder } from '../../db/row-locks.js';
import { rowList } from '../../db/row-list.js';
import { type Sql, fragment, rows, sql } from '../../db/sql.js';
import { linksOf } from '../inlinks.sql.js';
import type { Rewrites } from '../filter-links.js';
import { crawlColumn } from '../../webpage/crawl-column.sql.js';
import { hostPages } from '../../webpage/host-pages.sql.js';
import { contentOfPage, pageRows, samePageAs } from '../../webpage/page-key.sql.js';

/** A template of a host; `''` means the host itself. */
export interface TemplateOfHost {
  readonly host: string;
  readonly template: string;
}

/** Targets of the pages' outlinks that are no pages of the crawl, shortest first: so of a growing path the beginning is added. */
export function newTargets(
  tx: Sql,
  crawl: number,
  pages: readonly { host: string; key: string }[],
  rewrites: Rewrites | undefined,
): Promise<{ host: string; key: string }[]> {
  return rows<{ host: string; key: string }>(tx)`
    with target as materialized (
      select distinct page.crawl, split_part(link.key, ':', 1) collate "C" as host, link.key collate "C" as key
        from ${pageRows(crawl, pages)}
        join page_content p on ${contentOfPage}
       cross join lateral ${linksOf(rewrites)} as link (key, anchor)
    ), known as materialized (
      select w.host, w.key from target join webpage w on ${samePageAs('target')}
    )
    select target.host, target.key from target left join known using (host, key)
     where known.key is null
     order by length(target.key), target.key collate "C"`;
}

interface TemplateRow extends TemplateOfHost {
  added: number;
  seen: number;
  similar: number;
  samples: string[];
  stopped: boolean;
}

/**
 * Locks the templates until the transaction ends: two tasks that count for one template do so one after another.
 * Rows are locked in the order of their keys.
 */
export async function lockTemplates(
  tx: Sql,
  crawl: number,
  templates: readonly TemplateOfHost[],
): Promise<(TemplateOfHost & KnownTemplate)[]> {
  const [hosts, names] = [templates.map(({ host }) => host), templates.map(({ template }) => template)];
  await tx.query(sql`
    insert into url_template (crawl, host, template)
    select ${crawl}, host, template from unnest(${hosts}::text[], ${names}::text[]) as named (host, template)
     order by host collate "C", template collate "C"
    on conflict do nothing`);
  await lockByHost(
    tx,
    templates,
    (host, ofHost) => sql`select from url_template where crawl = ${crawl} and host = ${host}
                             and template = any (${ofHost.map(({ template }) => template)}::text[])
                           order by template for update`,
  );
  const locked = await rows<TemplateRow>(tx)`
    select known.host, known.template, known.added::int as added, known.seen::int as seen, known.similar_pages::int as "similar", known.samples,
           known.stopped_at is not null as stopped
      from unnest(${crawlColumn(crawl, templates.length)}, ${hosts}::text[], ${names}::text[]) as named (crawl, host, template)
      join url_template known on known.crawl = named.crawl and known.host = named.host and known.template = named.template
     order by known.host, known.template ${lockInOrder(fragment`known`)}`;
  return locked;
}

/** The change of a template by a chunk: its new tally, URLs added and refused. */
export interface TemplateChange extends TemplateOfHost {
  readonly known: KnownTemplate;
  readonly refused: number;
}

/** Stores the counts and samples of URL templates that a chunk has changed. */
export async function saveTemplates(tx: Sql, crawl: number, changes: readonly TemplateChange[]): Promise<void> {
  await tx.query(sql`
    with changed as materialized (
      select now() as at, change.*
        from ${rowList('change', changes, {
          crawl: crawlColumn(crawl, changes.length),
          host: ['text', ({ host }) => host],
          template: ['text', ({ template }) => template],
          added: ['bigint', ({ known }) => known.added],
          refused: ['bigint', ({ refused }) => refused],
          seen: ['bigint', ({ known }) => known.seen],
          alike: ['bigint', ({ known }) => known.similar],
          samples: ['jsonb', ({ known }) => known.samples],
          stopped: ['bool', ({ known }) => known.stopped],
        })}
    )
    update url_template known
       set added = changed.added, refused = known.refused + changed.refused, seen = changed.seen, similar_pages = changed.alike,
           samples = (select coalesce(array_agg(sample), '{}') from jsonb_array_elements_text(changed.samples) as sample),
           stopped_at = case when changed.stopped then coalesce(known.stopped_at, changed.at) end
      from changed
     where known.crawl = changed.crawl and known.host = changed.host and known.template = changed.template`);
}

/** Pages of hosts by host; a host without pages is missing. */
export async function pagesOfHosts(db: Sql, crawl: number, hosts: readonly string[]): Promise<Map<string, number>> {
  const counts = await rows<{ host: string; pages: number }>(db)`
    select h.host, ${hostPages}::float8 as pages
      from unnest(${crawlColumn(crawl, hosts.length)}, ${hosts}::text[]) as of (crawl, host)
      join host h on h.crawl = of.crawl and h.host = of.host`;
  return new Map(counts.map(({ host, pages }) => [host, pages]));
}

/** The present state of a template, without a lock. */
export async function knownTemplate(
  db: Sql,
  crawl: number,
  { host, template }: TemplateOfHost,
): Promise<KnownTemplate> {
  const [known] = await rows<TemplateRow>(db)`
    select host, template, added::int as added, seen::int as seen, similar_pages::int as "similar", samples,
           stopped_at is not null as stopped
      from url_template where crawl = ${crawl} and host = ${host} and template = ${template}`;
  return known ?? newTemplate;
}
