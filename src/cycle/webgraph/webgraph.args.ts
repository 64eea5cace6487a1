/** The arguments of the jobs that rank pages by their links. Without an argument the property of the configuration applies. */
import { NumberArg, StorePathArg } from '../arg-kinds.js';

const MAX_ROUNDS = 1_000;

const Rounds = (property: string, example: number): PropertyDecorator =>
  NumberArg(`Rounds. Default: ${property}.`, { min: 1, max: MAX_ROUNDS, example });

export class WebGraphArgs {
  static readonly names = ['force'];

  @StorePathArg('webgraphdb')
  webgraphdb?: string;
}

export class LinkRankArgs {
  @Rounds('link.analyze.num.iterations', 10)
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
  @Rounds('link.pagerank.max.iterations', 100)
  iterations?: number;
}

export class HitsArgs {
  @Rounds('link.hits.max.iterations', 100)
  iterations?: number;
}
