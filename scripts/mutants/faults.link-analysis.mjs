/** Faults in the computations on the link graph, and in their jobs. */

/** @type {import('./faults.mjs').Fault[]} */
export const linkAnalysis = [
  {
    id: 'link-dangling-lost',
    file: 'src/core/link-analysis/page-rank.ts',
    text: 'const base = (1 - damping + damping * dangling) / nodes;',
    replacement: 'const base = (1 - damping) / nodes;',
    breaks: 'PageRank: what pages without links have is lost.',
    specs: ['test/core/link-analysis/ranks.spec.ts'],
  },
  {
    id: 'link-votes-of-last-page',
    file: 'src/core/link-analysis/link-votes.ts',
    text: 'if (rules.limitDomain && this.domainVotes[domain] === source + 1) return false;',
    replacement: 'if (rules.limitDomain && this.domainVotes[domain] === source) return false;',
    breaks: 'A page votes twice for a domain.',
    specs: ['test/core/link-analysis/link-graph.spec.ts'],
  },
  {
    id: 'link-reciprocal-marked',
    file: 'src/core/link-analysis/without-reciprocal.ts',
    text: 'return low < offsets[from + 1]! && targets[low]! % MARK === to;',
    replacement: 'return low < offsets[from + 1]! && targets[low]! === to;',
    breaks: 'Of two links that are given back one stays.',
    specs: ['test/core/link-analysis/ranks.spec.ts'],
  },
  {
    id: 'link-nodes-stay',
    file: 'src/cycle/webgraph/analyze-links.ts',
    text: 'await deleteStaleNodes(tx, crawl, after, last);',
    replacement: '',
    breaks: 'A page that has left the table keeps its node.',
    specs: ['test/cycle/webgraph.spec.ts'],
  },
  {
    id: 'link-score-not-ordered',
    file: 'src/cycle/webgraph/scoreupdate.sql.ts',
    text: 'set score = found.score, content_score = null, rank = case when w.rank is not null then ${rankOf(fragment`found.score`)} end',
    replacement: 'set score = found.score, content_score = null',
    breaks: 'GENERATE does not select by the scores that SCOREUPDATE wrote.',
    specs: ['test/cycle/webgraph.spec.ts'],
  },
  {
    id: 'link-links-as-they-came',
    file: 'src/core/link-analysis/link-graph.ts',
    text: 'if (links.length > 0) graph.targets.set(links, offsets[node]);',
    replacement: 'if (links.length > 0) graph.targets.set(links, begins[node]);',
    breaks: 'Pages have the links of others, where they came in another order than that of their numbers.',
    specs: ['test/core/link-analysis/link-graph.spec.ts'],
  },
  {
    id: 'link-crawl-not-waiting',
    file: 'src/core/job/follow-ups.ts',
    text: "if (followed.some(({ state }) => !finalStates.includes(state))) return { kind: 'wait' };",
    replacement: '',
    breaks: 'A crawl makes the next job of its link analysis while one is at work.',
    specs: ['test/core/job/continuous-rounds.spec.ts'],
  },
  {
    id: 'reader-rows-beyond',
    file: 'src/api/legacy/row-answer.ts',
    text: 'Math.max(0, to - seen));',
    replacement: 'to);',
    breaks: 'A reader of 1.x answers rows behind `end`.',
    specs: ['test/api/legacy.spec.ts'],
  },
];
