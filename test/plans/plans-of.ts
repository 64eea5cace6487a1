/** The plans of statements that are run on the seeded database and rolled back. */
import { expect } from 'vitest';
import type { TestDatabase } from '../support/database.js';
import { Explained, type PlanNode, accessPaths, arbiters, indexesOf, nodeTypes, nodesOf } from './explained.js';
import { rolledBack } from './seeded.js';

/** The name of a test, its statements, and the access paths to expect. */
export type Case = [name: string, work: (tx: Explained) => Promise<unknown>, paths: string[]];

export interface Plans {
  /** What the statements returned. */
  answer: unknown;
  /** Access paths of the large tables. */
  paths: string[];
  /** Arbiter indexes of upserts. */
  upserts: string[];
  nodes: string[];
  /** Scans of pages by an index. */
  pageScans: PlanNode[];
  indexes: string[];
}

/** Runs statements, rolls them back, and returns their plans. */
export const plansOf = (db: TestDatabase, work: (tx: Explained) => Promise<unknown>): Promise<Plans> =>
  rolledBack(db, async (client) => {
    const tx = new Explained(client);
    const answer = await work(tx);
    expect(tx.plans).not.toEqual([]);
    return {
      answer,
      paths: accessPaths(tx.plans),
      upserts: arbiters(tx.plans),
      nodes: nodeTypes(tx.plans),
      pageScans: nodesOf(tx.plans).filter((node) => node['Index Name'] && node['Relation Name'] === 'webpage'),
      indexes: indexesOf(tx.plans),
    };
  });

/** The access path of pages that are found by their whole key. */
export const byKey = 'webpage_pkey (crawl, host, key_hash)';
