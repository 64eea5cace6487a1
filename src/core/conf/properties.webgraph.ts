import { flag, float, int } from './property.js';

const damping = { min: 0, max: 0.999 };
const iterations = { min: 1, max: 1_000, unit: 'iterations' };
const tolerance = { min: 0, max: 1 };

/** Properties of the jobs that rank pages by their links (Nutch `link.analyze.*`, `link.ignore.*`, `link.score.*`). */
export const webgraphProperties = {
  'link.analyze.damping.factor': float(0.85, 'LINKRANK: part of a score that comes by links.', damping),
  'link.analyze.initial.score': float(1, 'LINKRANK: score of every page before the first iteration.', { max: 1e9 }),
  'link.analyze.num.iterations': int(10, 'LINKRANK: iterations.', iterations),
  'link.delete.gone': flag(false, 'WEBGRAPH and LINKRANK leave out the links of pages that are gone.'),
  'link.graph.max.edges': int(
    500_000_000,
    'Links between pages that a job keeps in memory at most (4 bytes each, 12 while it reads them); one that finds more fails.',
    { min: 1, max: 2_000_000_000, unit: 'links' },
  ),
  'link.hits.max.iterations': int(100, 'HITS: iterations at most.', iterations),
  'link.hits.tolerance': float(1e-9, 'HITS ends when an iteration changes all hubs together by no more.', tolerance),
  'link.ignore.internal.domain': flag(true, 'WEBGRAPH and LINKRANK leave out links inside of a registered domain.'),
  'link.ignore.internal.host': flag(true, 'WEBGRAPH and LINKRANK leave out links inside of a host.'),
  'link.ignore.limit.domain': flag(true, 'WEBGRAPH and LINKRANK take one link of a page to each domain, the first.'),
  'link.ignore.limit.page': flag(
    true,
    'WEBGRAPH and LINKRANK take one link of a page to each other page, whatever its query: the first.',
  ),
  'link.ignore.reciprocal': flag(
    false,
    'WEBGRAPH and LINKRANK ignore reciprocal links: those of two pages to each other, and those of a page to itself.',
  ),
  'link.pagerank.damping.factor': float(0.85, 'PAGERANK: part of a score that comes by links.', damping),
  'link.pagerank.max.iterations': int(100, 'PAGERANK: iterations at most.', iterations),
  'link.pagerank.tolerance': float(
    1e-9,
    'PAGERANK ends when an iteration changes all scores together by no more.',
    tolerance,
  ),
  'link.score.updater.clear.score': float(0, 'SCOREUPDATE: score of pages that LINKRANK has not ranked.', {
    max: 1e9,
  }),
};
