/**
 * DEDUP: of fetched pages with equal content one stays, the others become db_duplicate (Nutch 1.x `DeduplicationJob`).
 *
 * Nutch reads the whole table each time. Here UPDATEDB records the present and former contents of its pages; DEDUP reads
 * the groups of these contents only, so its cost depends on the batches since the last run. With other rules than last
 * time (group, order, distance) it reads all contents once. Duplicates stay in the schedule: fetched again they compete again. If the
 * last page of a group is gone or has changed, one of its duplicates becomes db_fetched again.
 *
 * SimHashes of a small distance count as near duplicates (near-duplicates.ts).
 *
 * A chunk of contents is read, decided in pure code and written in fenced transactions, with the counts by host. The recorded
 * contents are deleted at the end of their chunk, so after a kill the next attempt reads them again and finds the work done.
 */
import { Injectable } from '@nestjs/common';
import { chunksOf } from '../../core/bounded-chunks.js';
import { COMPARE_ORDER, type CompareBy, type GroupMode } from '../../core/page/duplicates.js';
import { PAGE_STATUS } from '../../core/page/page-status.js';
import { isSimHash } from '../../core/page/simhash.js';
import type { Sql } from '../../db/sql.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import { recordDue } from '../../webpage/document-due.store.js';
import { StatusDeltas, addStatusDeltas } from '../../webpage/host-counts.store.js';
import { beginWalk, saveRules, lastRules } from '../../webpage/signature-due.store.js';
import { isStopping, untilHalted } from '../halt.js';
import type { Run, Step } from '../step.js';
import { refuseUnwritten } from '../require-pages.js';
import type { DedupArgs } from './dedup.args.js';
import {
  type RecordedContent,
  eachEqualPage,
  deleteRecorded,
  movePages,
  nextRecorded,
  nextHashes,
} from './dedup.sql.js';
import { NearDedup } from './near-dedup.js';
import { dropSomeBands, recordSimHashes } from './near.sql.js';
import { type EqualPage, DuplicateGroups } from '../../core/page/duplicate-groups.js';

/** Contents read together. */
const CONTENTS_PER_CHUNK = 1_000;
/** Near contents that are deleted in one transaction. */
const BANDS_PER_WRITE = 10_000;
/** Pages changed in one transaction. */
const PAGES_PER_WRITE = 2_000;
/** Less than any hash. */
const BEFORE_ALL = -2_147_483_649;

interface Rules {
  group: GroupMode;
  order: CompareBy[];
  /** Largest number of bits in which SimHashes of near duplicates differ; 0: only equal contents are duplicates. */
  distance: number;
}

interface Plan extends Record<string, unknown> {
  parts: number;
  rules: Rules;
  /** All contents of the crawl, not only the recorded ones. */
  readsAll: boolean;
}

@Injectable()
export class DedupJob implements Step<DedupArgs> {
  async run(run: Run<DedupArgs>): Promise<TaskOutcome> {
    const plan = await run.plan(() => makePlan(run));
    if (plan === null) return { reason: 'stopped' };
    return untilHalted(run, async (signal) => {
      const dedup = new Dedup(run, plan.rules, signal);
      if (plan.readsAll && !(await dedup.readAll())) return { reason: 'stopped' };
      return { reason: (await dedup.recorded()) ? 'done' : 'stopped' };
    });
  }
}

async function makePlan(run: Run<DedupArgs>): Promise<Plan | null> {
  if (!(await run.lock('DEDUP'))) return null;
  await refuseUnwritten(run);
  const { args, conf } = run;
  const order = args.compareOrder ?? conf['deduplication.compare.order'];
  const rules: Rules = {
    group: args.group ?? conf['deduplication.group.mode'],
    order: COMPARE_ORDER.filter((by) => order.includes(by)).sort((a, b) => order.indexOf(a) - order.indexOf(b)),
    distance: conf['deduplication.simhash.distance'],
  };
  return { parts: 1, rules, readsAll: (await lastRules(run.pool, run.job.crawl)) !== rulesText(rules) };
}

const rulesText = ({ group, order, distance }: Rules): string =>
  `${group} ${order.join(',')}${distance > 0 ? ` ${distance}` : ''}`;

/** The rules and the walks of one job. */
class Dedup {
  private readonly crawl: number;
  private readonly near: NearDedup;

  constructor(
    private readonly run: Run<DedupArgs>,
    private readonly rules: Rules,
    private readonly signal: AbortSignal,
  ) {
    this.crawl = run.job.crawl;
    this.near = new NearDedup(this.crawl, run.pool, { ...rules, signal }, (pages, to) => this.moveAll(pages, to));
  }

  /** Reads all contents in the order of their hashes; returns false when the job was stopped meanwhile. */
  async readAll(): Promise<boolean> {
    if (this.run.progress?.['walked'] === true) return true;
    const walk = `walk of ${this.run.job.id}`;
    const begin = async (tx: Sql): Promise<number> => {
      await beginWalk(tx, this.crawl, walk);
      return dropSomeBands(tx, this.crawl, BANDS_PER_WRITE);
    };
    while (this.run.progress?.['after'] === undefined) {
      if (isStopping(this.run)) return false;
      await this.run.write(begin, (dropped) => (dropped < BANDS_PER_WRITE ? { after: BEFORE_ALL } : {}));
    }
    for (let after = (this.run.progress?.['after'] as number | undefined) ?? BEFORE_ALL; ;) {
      if (isStopping(this.run)) return false;
      const hashes = await nextHashes(this.run.pool, this.crawl, after, CONTENTS_PER_CHUNK);
      if (hashes.length === 0) break;
      await this.setDuplicates(hashes, null);
      after = hashes.at(-1)!;
      await this.run.write((tx) => this.recordNear(tx, hashes), { after });
    }
    await this.run.write((tx) => saveRules(tx, this.crawl, { walk, rules: rulesText(this.rules) }), { walked: true });
    return true;
  }

  /** Processes recorded contents until none is left; returns false when the job was stopped meanwhile. */
  async recorded(): Promise<boolean> {
    for (;;) {
      if (isStopping(this.run)) return false;
      const recorded = await nextRecorded(this.run.pool, this.crawl, CONTENTS_PER_CHUNK);
      if (recorded.length === 0) return true;
      const near = recorded.filter((content) => this.isNear(content));
      if (near.length > 0) {
        const write = await this.near.process(near);
        await this.run.write(write);
      }
      const equal = recorded.filter((content) => !this.isNear(content));
      if (equal.length === 0) continue;
      await this.setDuplicates([...new Set(equal.map(({ hash }) => hash))], equal);
      await this.run.write((tx) => deleteRecorded(tx, this.crawl, equal));
    }
  }

  /** Whether a content is compared with near ones. */
  private isNear({ signature }: { signature: string }): boolean {
    return this.rules.distance > 0 && isSimHash(signature);
  }

  private async recordNear(tx: Sql, hashes: number[]): Promise<void> {
    if (this.rules.distance > 0) await recordSimHashes(tx, this.crawl, hashes);
  }

  /** Finds the duplicates among the pages of some contents. Without `recorded` any of the groups may have lost its last page. */
  private async setDuplicates(hashes: number[], recorded: RecordedContent[] | null): Promise<void> {
    const groups = new DuplicateGroups(this.rules.group, this.rules.order);
    const { crawl, signal } = this;
    await eachEqualPage(this.run.pool, { crawl, signal, hashes, duplicates: false }, async (equalPages) => {
      const equal = equalPages.filter((compared) => !this.isNear(compared));
      const duplicates = groups.add(equal).filter(({ busy }) => !busy);
      await this.moveAll(duplicates, 'duplicate');
    });
    const orphaned = recorded?.filter(({ host, signature }) => !groups.has(groups.nameOf(host, signature)));
    if (orphaned?.length === 0) return;
    const orphanedNames = orphaned && new Set(orphaned.map(({ host, signature }) => groups.nameOf(host, signature)));
    const left = new DuplicateGroups(this.rules.group, this.rules.order);
    const among = orphaned ? [...new Set(orphaned.map(({ hash }) => hash))] : hashes;
    await eachEqualPage(this.run.pool, { crawl, signal, hashes: among, duplicates: true }, (equalPages) => {
      const alone = ({ host, signature, busy }: EqualPage): boolean => {
        const name = groups.nameOf(host, signature);
        return !busy && !groups.has(name) && (orphanedNames?.has(name) ?? true) && !this.isNear({ signature });
      };
      left.add(equalPages.filter(alone));
      return Promise.resolve();
    });
    const back = left.winners();
    await this.moveAll(back, 'fetched');
  }

  /** A large part of a web may have one content: the job can be stopped between two writes. Its contents stay recorded. */
  private async moveAll(pages: EqualPage[], to: 'duplicate' | 'fetched'): Promise<void> {
    for (const chunk of chunksOf(pages, PAGES_PER_WRITE)) {
      this.signal.throwIfAborted();
      await this.move(chunk, to);
    }
  }

  private async move(pages: EqualPage[], to: 'duplicate' | 'fetched'): Promise<void> {
    await this.run.write(async (tx, count) => {
      const moved = await movePages(tx, this.crawl, pages, to);
      const deltas = new StatusDeltas();
      for (const { host, status } of moved) deltas.move(host, status, PAGE_STATUS[to]);
      await addStatusDeltas(tx, this.crawl, deltas);
      // The documents of duplicates are deleted by CLEAN.
      if (this.run.args.documentsDue === true && to === 'fetched')
        await recordDue(tx, this.crawl, { pages: moved }, { toDelete: false });
      // Shown as 0, too.
      count('DeduplicationJobStatus', COUNTERS.duplicate, 0);
      count('DeduplicationJobStatus', COUNTERS[to], moved.length);
    });
  }
}

const COUNTERS = {
  duplicate: 'Documents marked as duplicate',
  fetched: 'Documents no longer marked as duplicate',
};
