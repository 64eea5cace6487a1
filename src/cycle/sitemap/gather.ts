/**
 * What a SITEMAP job has to read, put on its list: the sitemaps and hosts of its arguments; without any, the sitemaps that the
 * crawl knows and the origins of all of its hosts. Done in windows; each remembers its place, so a later attempt goes on behind
 * the last one.
 */
import { SeedListStore } from '../../conf/seed-list.store.js';
import { parseSeedLine } from '../../core/page/seed-line.js';
import { unreverseUrl } from '../../core/url/row-key.js';
import { type WantedSitemap, wantAllSitemaps, wantSitemaps } from '../../webpage/sitemap.store.js';
import type { Run } from '../step.js';
import { type HostOrigin, nextHosts, originsOfHost } from './host-origins.sql.js';
import type { SitemapArgs } from './sitemap.args.js';
import type { SitemapRules } from './sitemap-rules.js';

const WINDOW = 2_000;
const HOST_WINDOW = 500;

/** How far the list has come: the stage, and the place in it. */
interface Place extends Record<string, unknown> {
  stage: number;
  at: number | string;
}

type Stage = (gathering: Gathering, at: number | string) => Promise<number | string | null>;

/** Each does a window behind `at` and answers where it ended; null: nothing is left of it. */
const STAGES: readonly Stage[] = [
  (g) => g.given(),
  (g, at) => g.list(g.run.args.sitemapUrlDir, at, (line) => g.rules.argument(line)),
  (g, at) => g.list(g.run.args.hostDir, at, (line) => g.rules.origin(line)),
  (g) => g.known(),
  (g, at) => g.hosts(at),
];

/** Puts all on the list; answers false when the job was stopped meanwhile. */
export async function gather(run: Run<SitemapArgs>, rules: SitemapRules): Promise<boolean> {
  const gathering = new Gathering(run, rules);
  const place = run.progress as Place | null;
  let at: number | string = place?.at ?? '';
  for (let stage = place?.stage ?? 0; stage < STAGES.length;) {
    run.aborted.throwIfAborted();
    if (run.stopping.aborted) return false;
    const next = await STAGES[stage]!(gathering, at);
    at = next ?? '';
    if (next !== null) continue;
    stage++;
    await run.write(() => Promise.resolve(), { stage, at });
  }
  return true;
}

class Gathering {
  private readonly seeds: SeedListStore;

  constructor(
    readonly run: Run<SitemapArgs>,
    readonly rules: SitemapRules,
  ) {
    this.seeds = new SeedListStore(run.pool);
  }

  private get crawl(): number {
    return this.run.job.crawl;
  }

  private get isWhole(): boolean {
    const { sitemapUrls, sitemapUrlDir, hosts, hostDir } = this.run.args;
    return !sitemapUrls && !sitemapUrlDir && !hosts && !hostDir;
  }

  async given(): Promise<null> {
    const { sitemapUrls = [], hosts = [] } = this.run.args;
    await this.put([
      ...sitemapUrls.map((url) => this.rules.argument(url)),
      ...hosts.map((one) => this.rules.origin(one)),
    ]);
    return null;
  }

  async list(
    name: string | undefined,
    at: number | string,
    wanted: (line: string) => WantedSitemap | null,
  ): Promise<number | null> {
    if (name === undefined) return null;
    const from = Number(at || 0);
    const lines = await this.seeds.lines(name, from, WINDOW);
    if (lines.length === 0) return null;
    const urls = lines.flatMap((line) => parseSeedLine(line)?.url ?? []);
    await this.put(urls.map(wanted), { stage: name === this.run.args.hostDir ? 2 : 1, at: from + lines.length });
    return from + lines.length;
  }

  async known(): Promise<null> {
    if (!this.isWhole) return null;
    await this.run.write(async (tx, count) => {
      count('Sitemap', 'known_sitemaps', await wantAllSitemaps(tx, this.crawl, this.run.job.id));
    });
    return null;
  }

  async hosts(at: number | string): Promise<string | null> {
    if (!this.isWhole) return null;
    const hosts = await nextHosts(this.run.pool, this.crawl, String(at), HOST_WINDOW);
    const last = hosts.at(-1);
    if (last === undefined) return null;
    const origins: HostOrigin[] = [];
    for (const host of hosts) origins.push(...(await originsOfHost(this.run.pool, this.crawl, host)));
    await this.put(
      origins.map(({ prefix }) => this.rules.origin(unreverseUrl(prefix))),
      { stage: 4, at: last },
    );
    return last;
  }

  private async put(wanted: (WantedSitemap | null)[], progress?: Place): Promise<void> {
    const sitemaps = wanted.filter((one) => one !== null);
    await this.run.write(async (tx, count) => {
      count('Sitemap', 'filtered_sitemaps', wanted.length - sitemaps.length);
      await wantSitemaps(tx, this.crawl, this.run.job.id, sitemaps);
    }, progress);
  }
}
