/** The arguments of the jobs that rank pages by their links. Without an argument the property of the configuration applies. */
import { NumberArg, StorePathArg } from '../arg-kinds.js';

const MAX_ITERATIONS = 1_000;

const Iterations = (property: string, example: number): PropertyDecorator =>
  NumberArg(`Iterations. Default: ${property}.`, { min: 1, max: MAX_ITERATIONS, example });

export class WebGraphArgs {
  static readonly names = ['force'];

  @StorePathArg('webgraphdb')
  webgraphdb?: string;
}

export class LinkRankArgs {
  @Iterations('link.analyze.num.iterations', 10)
  iterations?: number;

  @StorePathArg('webgraphdb')
  webgraphdb?: string;
}

export class ScoreUpdateArgs {
  @StorePathArg('crawldb')
  crawldb?: string;

  @StorePathArg('webgraphdb')
  webgraphdb?: string;
}

export class PageRankArgs {
  @Iterations('link.pagerank.max.iterations', 100)
  iterations?: number;
}

export class HitsArgs {
  @Iterations('link.hits.max.iterations', 100)
  iterations?: number;
}
