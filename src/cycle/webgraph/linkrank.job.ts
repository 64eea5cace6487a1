import { Injectable } from '@nestjs/common';
import { linkRank } from '../../core/link-analysis/link-rank.js';
import type { Conf } from '../../core/conf/properties.js';
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
      ifNoneCounts: noRanks(conf),
      *values(read) {
        const graph = yield* votesOf(read, conf);
        const { columns, counts } = linkCounts(graph);
        const scores = yield* linkRank(graph, {
          damping: conf['link.analyze.damping.factor'],
          initialScore: conf['link.analyze.initial.score'],
          iterations: args.iterations ?? conf['link.analyze.num.iterations'],
        });
        const rankOf = (node: number) => (counts(node) ? scores[node]! : null);
        return { columns: [...columns, { name: 'link_rank', value: rankOf }], counts };
      },
    });
  }
}

/** With the default properties a crawl of one site has no link that counts, and so no ranks. */
function noRanks(conf: Conf): string {
  const names = (['link.ignore.internal.host', 'link.ignore.internal.domain'] as const).filter((name) => conf[name]);
  const why =
    names.length === 0
      ? 'no page links to another one'
      : `links inside of a host or domain do not count (${names.join(', ')}), and there are no others`;
  return `No page gets a link rank: ${why}.`;
}
