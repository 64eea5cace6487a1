import { Injectable } from '@nestjs/common';
import { pageRank } from '../../core/link-analysis/page-rank.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import type { Run, Step } from '../step.js';
import { analyzeLinks } from './analyze-links.js';
import type { PageRankArgs } from './webgraph.args.js';

/** PAGERANK: the PageRank of all pages of a crawl, by all links between them. */
@Injectable()
export class PageRankJob implements Step<PageRankArgs> {
  run(run: Run<PageRankArgs>): Promise<TaskOutcome> {
    const { conf, args } = run;
    return analyzeLinks(run, {
      group: 'PageRank',
      rules: {},
      *values(graph) {
        const scores = yield* pageRank(graph, {
          damping: conf['link.pagerank.damping.factor'],
          iterations: args.iterations ?? conf['link.pagerank.max.iterations'],
          tolerance: conf['link.pagerank.tolerance'],
        });
        return { columns: [{ name: 'page_rank', value: (node) => scores[node]! }], counts: () => true };
      },
    });
  }
}
