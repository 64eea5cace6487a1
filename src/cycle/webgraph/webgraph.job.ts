import { Injectable } from '@nestjs/common';
import type { TaskOutcome } from '../../core/job/job-types.js';
import type { Run, Step } from '../step.js';
import { linkCounts, votesOf, votingRules } from './link-counts.js';
import { analyzeLinks } from './analyze-links.js';
import type { WebGraphArgs } from './webgraph.args.js';

/**
 * WEBGRAPH: the nodes of the link graph with their numbers of links (Nutch 1.x `WebGraph`). The links themselves are in
 * `page_content` already, so LINKRANK needs no WEBGRAPH before it.
 */
@Injectable()
export class WebGraphJob implements Step<WebGraphArgs> {
  run(run: Run<WebGraphArgs>): Promise<TaskOutcome> {
    return analyzeLinks(run, {
      group: 'WebGraph',
      rules: votingRules(run.conf),
      *values(graph) {
        return linkCounts(yield* votesOf(graph, run.conf));
      },
    });
  }
}
