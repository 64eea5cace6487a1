import { Injectable } from '@nestjs/common';
import { linkRank } from '../../core/link-analysis/link-rank.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import type { Run, Step } from '../step.js';
import { linkCounts, votesOf, votingRules } from './link-counts.js';
import { analyzeLinks } from './analyze-links.js';
import type { LinkRankArgs } from './webgraph.args.js';

/** LINKRANK: a score by links from other sites, computed from scratch in each run (Nutch 1.x `LinkRank`). */
@Injectable()
export class LinkRankJob implements Step<LinkRankArgs> {
  run(run: Run<LinkRankArgs>): Promise<TaskOutcome> {
    const { conf, args } = run;
    return analyzeLinks(run, {
      group: 'LinkRank',
      rules: votingRules(conf),
      *values(read) {
        const graph = yield* votesOf(read, conf);
        const { columns, counts } = linkCounts(graph);
        const scores = yield* linkRank(graph, {
          damping: conf['link.analyze.damping.factor'],
          initialScore: conf['link.analyze.initial.score'],
          iterations: args.iterations ?? conf['link.analyze.num.iterations'],
        });
        const rankOf = (node: number) => (counts(node) ? scores[node]! : null);
        return { columns: [...columns, { name: 'link_rank', of: rankOf }], counts };
      },
    });
  }
}
