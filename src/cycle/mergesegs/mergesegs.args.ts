import { MAX_INT32 } from '../../core/int32.js';
import { FlagArg, NewBatchArg, NumberArg, Segments, TextArg } from '../arg-kinds.js';

export class MergeSegsArgs {
  @NewBatchArg('The id of the batch that is made. Default: a new one.')
  batch?: string;

  @Segments()
  segment?: string[];

  @TextArg('A folder of segments (1.x), however it is written: all segments of the crawl.', 'k1/segments')
  segment_dir?: string;

  @TextArg('`segment_dir` as some examples of Nutch spell it.', 'k1/segments')
  segments_dir?: string;

  @TextArg('`segment_dir` as the command line of Nutch names it (`-dir`).', 'k1/segments')
  dir?: string;

  @TextArg('A folder of segments (1.x), in which the new one is expected: it says nothing here.', 'k1/segments')
  output_dir?: string;

  @FlagArg('Leave out pages whose URLs the filters of now refuse.')
  filter?: boolean;

  @FlagArg('Leave out pages whose URLs the rules of now would write otherwise (scope `default`).')
  normalize?: boolean;

  @NumberArg('Pages of a segment: several are made. Default: one with all pages.', {
    min: 1,
    max: MAX_INT32,
    example: 50_000,
  })
  slice?: number;
}
