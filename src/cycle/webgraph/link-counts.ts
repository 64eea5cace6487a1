/** The graph of WEBGRAPH and LINKRANK: which links of a crawl are votes, by `link.ignore.*`, and how many each page has. */
import type { Conf } from '../../core/conf/properties.js';
import { type LinkGraph, inDegrees, outDegree } from '../../core/link-analysis/link-graph.js';
import { withoutReciprocal } from '../../core/link-analysis/without-reciprocal.js';
import type { NodeValues } from './analyze-links.js';
import type { GraphRules } from './read-graph.js';

export const votingRules = (conf: Conf): GraphRules => ({
  votes: {
    ignoreInternalHost: conf['link.ignore.internal.host'],
    ignoreInternalDomain: conf['link.ignore.internal.domain'],
    limitPage: conf['link.ignore.limit.page'],
    limitDomain: conf['link.ignore.limit.domain'],
  },
  deleteGone: conf['link.delete.gone'],
});

/** The graph as it was read, or without reciprocal links. */
export function* votesOf(graph: LinkGraph, conf: Conf): Generator<void, LinkGraph> {
  return conf['link.ignore.reciprocal'] ? yield* withoutReciprocal(graph) : graph;
}

/** Both numbers of each page; none for a page without any link, as it is no node in Nutch. */
export function linkCounts(graph: LinkGraph): NodeValues {
  const inlinks = inDegrees(graph);
  const counts = (node: number): boolean => inlinks[node]! + outDegree(graph, node) > 0;
  return {
    columns: [
      { name: 'num_inlinks', value: (node) => (counts(node) ? inlinks[node]! : null) },
      { name: 'num_outlinks', value: (node) => (counts(node) ? outDegree(graph, node) : null) },
    ],
    counts,
  };
}
