/** Processes recorded SimHashes: reads their pages and those near to them, decides which stay, and writes the result. */
import type { Pool } from 'pg';
import { recordSignatures } from '../../webpage/signature-due.store.js';
import { domainKeyOf } from '../../core/url/domain.js';
import type { GroupMode } from '../../core/page/duplicates.js';
import type { Sql } from '../../db/sql.js';
import { type RecordedContent, eachEqualPage, deleteRecorded } from './dedup.sql.js';
import {
  type Contender,
  type NearRules,
  decide,
  type Content,
  type Near,
  contentName,
} from '../../core/page/near-duplicates.js';
import { dropBands, keptAmong, nearTo, putBands } from './near.sql.js';
import { type EqualPage, DuplicateGroups } from '../../core/page/duplicate-groups.js';

export interface NearDedupRules extends NearRules {
  readonly group: GroupMode;
  /** Ends the wait for a reader's permit, and the reading. */
  readonly signal: AbortSignal;
}

/** Changes the status of pages that are in no batch. */
export type Move = (pages: EqualPage[], to: 'duplicate' | 'fetched') => Promise<void>;

export class NearDedup {
  constructor(
    private readonly crawl: number,
    private readonly pool: Pool,
    private readonly rules: NearDedupRules,
    private readonly move: Move,
  ) {}

  /**
   * Decides the recorded contents and moves their pages. Returns the writes that have to follow, in one transaction: the
   * decisions, the contents to be decided again, and the deletion of the records.
   */
  async process(recorded: readonly RecordedContent[]): Promise<(tx: Sql) => Promise<void>> {
    const contents = this.contentsOf(recorded);
    const rivals = await nearTo(this.pool, this.crawl, contents, { distance: this.rules.distance, kept: true });
    const hashes = [...new Set([...contents, ...rivals].map(({ hash }) => hash))];
    const alive = await this.alive(hashes, new Set(contents.map(contentName)));
    const withoutPage = contents.filter((content) => alive.staying(this.nameOf(content)).length === 0);
    const duplicates = await this.duplicates(withoutPage);
    const keptBefore = await keptAmong(this.pool, this.crawl, contents);
    const chunk = contents.map((content): Contender => {
      const [best = duplicates.staying(this.nameOf(content))[0] ?? null] = alive.staying(this.nameOf(content));
      return { ...content, best, wasKept: keptBefore.has(contentName(content)) };
    });
    const present = rivals.flatMap((rival) => {
      const [best] = alive.staying(this.nameOf(rival));
      return best === undefined ? [] : [{ ...rival, best }];
    });
    const { decided, challenged, demoted } = decide(chunk, present, this.rules);
    const lost = decided.filter(({ kept }) => !kept).flatMap(({ content }) => alive.staying(this.nameOf(content)));
    const returning = decided.filter(({ content, kept }) => kept && !alive.has(this.nameOf(content)));
    const back = returning.flatMap(({ content }) => content.best ?? []);
    await this.move(lost.filter(notBusy), 'duplicate');
    await this.move(back.filter(notBusy), 'fetched');
    // A content that stays by a page that was a duplicate is worse than before: those that depend on it may be better now.
    const worse = returning.flatMap(({ content }) => (content.wasKept ? [content] : []));
    const dependent = await nearTo(this.pool, this.crawl, [...demoted, ...worse], {
      distance: this.rules.distance,
      kept: false,
    });
    return async (tx) => {
      const gone = decided.filter(({ content }) => content.best === null).map(({ content }) => content);
      const there = decided.filter(({ content }) => content.best !== null);
      await dropBands(tx, this.crawl, gone);
      await putBands(
        tx,
        this.crawl,
        there.map(({ content, kept }) => ({ ...content, kept })),
      );
      await recordSignatures(tx, this.crawl, [...challenged, ...dependent].map(noteOf));
      await deleteRecorded(tx, this.crawl, [...recorded]);
    };
  }

  /** Each content once, with its scope. */
  private contentsOf(recorded: readonly RecordedContent[]): (Content & { hash: number })[] {
    const contents = new Map<string, Content & { hash: number }>();
    for (const { host, signature, hash } of recorded) {
      const content = { place: this.hostOf(host), signature, hash };
      contents.set(contentName(content), content);
    }
    return [...contents.values()];
  }

  private hostOf(host: string): string {
    if (this.rules.group === 'none') return '';
    return this.rules.group === 'host' ? host : domainKeyOf(host);
  }

  /** The name of the group of equal pages that pages of a content belong to. */
  private nameOf({ place, signature }: Content): string {
    return this.rules.group === 'none' ? signature : `${signature} ${place}`;
  }

  /** The best pages of each content that are no duplicates. Equal pages that lose are moved if `compared` has their content. */
  private async alive(hashes: number[], compared: ReadonlySet<string>): Promise<DuplicateGroups> {
    const groups = new DuplicateGroups(this.rules.group, this.rules.order);
    await eachEqualPage(
      this.pool,
      { crawl: this.crawl, hashes, duplicates: false, signal: this.rules.signal },
      async (equalPages) => {
        const lost = groups.add(equalPages).filter(({ host, signature, busy }) => {
          return !busy && compared.has(contentName({ place: this.hostOf(host), signature }));
        });
        await this.move(lost, 'duplicate');
      },
    );
    return groups;
  }

  /** The best pages of contents that only duplicates have. */
  private async duplicates(contents: readonly (Content & { hash: number })[]): Promise<DuplicateGroups> {
    const groups = new DuplicateGroups(this.rules.group, this.rules.order);
    if (contents.length === 0) return groups;
    const hashes = [...new Set(contents.map(({ hash }) => hash))];
    await eachEqualPage(
      this.pool,
      { crawl: this.crawl, hashes, duplicates: true, signal: this.rules.signal },
      (equalPages) => {
        groups.add(equalPages);
        return Promise.resolve();
      },
    );
    return groups;
  }
}

const notBusy = ({ busy }: EqualPage): boolean => !busy;

/** As UPDATEDB records contents: any host of the scope can represent it. */
const noteOf = ({ place, signature }: Content | Near): { host: string; signature: string } => ({
  host: place,
  signature,
});
