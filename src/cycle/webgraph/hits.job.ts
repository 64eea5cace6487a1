import { Injectable } from '@nestjs/common';
import { hits } from '../../core/link-analysis/hits.js';
import type { TaskOutcome } from '../../core/job/job-types.js';
import type { Run, Step } from '../step.js';
import { type NodeValues, analyzeLinks } from './analyze-links.js';
import type { HitsArgs } from './webgraph.args.js';

/** HITS: hubs and authorities among the pages of a crawl, by all links between them. */
@Injectable()
export class HitsJob implements Step<HitsArgs> {
  run(run: Run<HitsArgs>): Promise<TaskOutcome> {
    const { conf, args } = run;
    return analyzeLinks(run, {
      group: 'Hits',
      rules: {},
      *values(graph) {
        const { hubs, authorities } = yield* hits(graph, {
          iterations: args.iterations ?? conf['link.hits.max.iterations'],
          tolerance: conf['link.hits.tolerance'],
        });
        const columns: NodeValues['columns'] = [
          { name: 'hub', value: (node) => hubs[node]! },
          { name: 'authority', value: (node) => authorities[node]! },
        ];
        return { columns, counts: () => true };
      },
    });
  }
}
