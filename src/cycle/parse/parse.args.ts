import { BatchArg, FlagArg, NumberArg, SegmentArg } from '../arg-kinds.js';

export class ParseArgs {
  static readonly names = ['segment_dir'];

  @BatchArg(
    'Batch to parse; `-all`: every fetched page of the open batches; `-reparse`: every page with content of its last visit (status 2, 6, 7, 8 or 9). Default: `-all`.',
  )
  batch?: string;

  @SegmentArg('Batch to parse, as 1.x clients name it.')
  segment?: string;

  @FlagArg('Accepted for 2.x clients: parsed pages of the batch are skipped in any case.')
  resume?: boolean;

  @FlagArg('Parse again what was parsed in this batch.')
  force?: boolean;

  @FlagArg('Outlinks are not filtered. Default: the opposite of parse.filter.urls.')
  nofilter?: boolean;

  @FlagArg('Outlinks are not normalized. Default: the opposite of parse.normalize.urls.')
  nonormalize?: boolean;

  @FlagArg('As nofilter.')
  noFilter?: boolean;

  @FlagArg('As nonormalize.')
  noNormalize?: boolean;

  @NumberArg('Tasks to split the job into. Default: the number of workers.', { min: 1, max: 64, example: 2 })
  numTasks?: number;
}
