/**
 * Fills the list of a SITEMAP job: the sitemaps and hosts of its arguments; without any, the sitemaps that the
 * crawl knows and the origins of all of its hosts. Done in chunks; each stores its cursor, so a later attempt continues after
 * the last one.
 */
import { counted } from '../../core/counted.js';
import { parseSeedLine } from '../../core/page/seed-line.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { wantAllSitemaps, wantSitemaps } from '../../webpage/sitemap.store.js';
import { SeedLines } from '../seed-lines.js';
import { isStopping } from '../halt.js';
import type { Run } from '../step.js';
import { type HostOrigin, nextHostNames, originsOfHost } from './host-origins.sql.js';
import type { SitemapArgs } from './sitemap.args.js';
import type { SitemapRules, WantedSitemap } from '../../core/sitemap/sitemap-rules.js';

const CHUNK = 2_000;
const HOST_CHUNK = 500;

/** Refused names that a warning has, and the length of the quotation of each. */
const MAX_NAMED = 10;
const MAX_NAMED_LENGTH = 300;

/** What a client names: a host stands for the sitemaps of its robots.txt. */
type Kind = 'sitemap' | 'host';

/** The position: the stage, and the position in it. */
interface Cursor extends Record<string, unknown> {
  stage: number;
  at: number | string;
  /** Of a seed list: when the list of the position `at` was stored. */
  savedAt?: number | undefined;
}

type Stage = (filler: ListFiller, cursor: Cursor) => Promise<Cursor | null>;

/** Each reads a chunk after a cursor and returns the next cursor; null: it is finished. */
const STAGES: readonly Stage[] = [
  (g) => g.listArguments(),
  (g, cursor) => g.list('sitemap', g.run.args.sitemapUrlDir, cursor),
  (g, cursor) => g.list('host', g.run.args.hostDir, cursor),
  (g) => g.known(),
  (g, cursor) => g.hosts(cursor),
];

/** Puts everything on the list; returns false when the job was stopped meanwhile. */
export async function fillList(run: Run<SitemapArgs>, rules: SitemapRules): Promise<boolean> {
  const filler = new ListFiller(run, rules);
  let cursor = (run.progress as Cursor | null) ?? { stage: 0, at: '' };
  while (cursor.stage < STAGES.length) {
    if (isStopping(run)) return false;
    const next = await STAGES[cursor.stage]!(filler, cursor);
    cursor = next ?? nextStage(cursor);
    if (next === null) await run.write(() => Promise.resolve(), cursor);
  }
  return true;
}

/** The beginning of the next stage. */
const nextStage = ({ stage }: Cursor): Cursor => ({ stage: stage + 1, at: '' });

class ListFiller {
  constructor(
    readonly run: Run<SitemapArgs>,
    readonly rules: SitemapRules,
  ) {}

  private get crawl(): number {
    return this.run.job.crawl;
  }

  private get isWhole(): boolean {
    const { sitemapUrls, sitemapUrlDir, hosts, hostDir } = this.run.args;
    return !sitemapUrls && !sitemapUrlDir && !hosts && !hostDir;
  }

  async listArguments(): Promise<null> {
    const { sitemapUrls = [], hosts = [] } = this.run.args;
    await this.put([...(await this.judge('sitemap', sitemapUrls)), ...(await this.judge('host', hosts))]);
    return null;
  }

  async list(kind: Kind, name: string | undefined, cursor: Cursor): Promise<Cursor | null> {
    if (name === undefined) return null;
    const seeds = new SeedLines(name, { position: Number(cursor.at || 0), savedAt: cursor.savedAt });
    const lines = await seeds.next(this.run.pool, CHUNK);
    const urls = lines.flatMap((line) => parseSeedLine(line)?.url ?? []);
    const { position: at, savedAt, isAtEnd } = seeds.cursor;
    const next = isAtEnd ? nextStage(cursor) : { stage: cursor.stage, at, savedAt };
    await this.put(await this.judge(kind, urls), next);
    return next;
  }

  /** What the rules make of names that the client gave. Warns of those that are not read. */
  private async judge(kind: Kind, names: readonly string[]): Promise<(WantedSitemap | null)[]> {
    const judged = names.map((name) => (kind === 'host' ? this.rules.origin(name) : this.rules.argument(name)));
    const refused = names.filter((_, at) => judged[at] === null).map((name) => name.slice(0, MAX_NAMED_LENGTH));
    if (refused.length > 0) {
      const more = refused.length > 1 ? `; the same applies to ${counted(refused.length - 1, `more ${kind}`)}` : '';
      const why = 'it is no http or https URL, or the URL rules refuse it';
      await this.run.warn(`${kind} "${refused[0]}" is not read: ${why}${more}`, { lines: refused.slice(0, MAX_NAMED) });
    }
    return judged;
  }

  async known(): Promise<null> {
    if (!this.isWhole) return null;
    await this.run.write(async (tx, count) => {
      count('Sitemap', 'known_sitemaps', await wantAllSitemaps(tx, this.crawl, this.run.job.id));
    });
    return null;
  }

  async hosts(cursor: Cursor): Promise<Cursor | null> {
    if (!this.isWhole) return null;
    const hosts = await nextHostNames(this.run.pool, this.crawl, String(cursor.at), HOST_CHUNK);
    const last = hosts.at(-1);
    if (last === undefined) return null;
    const origins: HostOrigin[] = [];
    for (const host of hosts) origins.push(...(await originsOfHost(this.run.pool, this.crawl, host)));
    const next = { stage: cursor.stage, at: last };
    await this.put(
      origins.map(({ prefix }) => this.rules.origin(unreverseUrl(prefix))),
      next,
    );
    return next;
  }

  private async put(judged: (WantedSitemap | null)[], progress?: Cursor): Promise<void> {
    const sitemaps = judged.filter((sitemap) => sitemap !== null);
    await this.run.write(async (tx, count) => {
      count('Sitemap', 'filtered_sitemaps', judged.length - sitemaps.length);
      await wantSitemaps(tx, this.crawl, this.run.job.id, sitemaps);
    }, progress);
  }
}
