import { BatchArg, FlagArg, NumberArg, SegmentArg } from '../arg-kinds.js';

/** Arguments of FETCH. */
export class FetchArgs {
  static readonly names = ['segment_dir'];

  @BatchArg(
    'Batch to fetch, or `-all` for every generated page. Default: every batch that is open when the job begins, sitemaps too.',
  )
  batch?: string;

  @SegmentArg('Batch to fetch, as 1.x clients name it.')
  segment?: string;

  @NumberArg(
    'Requests under way at once, over all tasks of the job and all servers. Default: fetcher.threads.fetch for each server.',
    { min: 1, max: 1_000, example: 10 },
  )
  threads?: number;

  @FlagArg('Skip pages of the batch that were fetched already. Default: they are fetched again.')
  resume?: boolean;

  @NumberArg('Tasks to split the job into; all pages of a host are in one. Default: the number of workers.', {
    min: 1,
    max: 64,
    example: 2,
  })
  numTasks?: number;

  @FlagArg('Parse each page as it is fetched, without a PARSE job. Default: fetcher.parse.', true)
  parse?: boolean;

  @FlagArg('Do not parse, whatever fetcher.parse says (1.x). `parse` wins over it.')
  noParsing?: boolean;

  @FlagArg(
    'Fetch the sitemaps of the batch alone, as GENERATE with `sitemap` selects them. Without it `-all` leaves sitemaps out; a batch that is named, and without a name every open one, is fetched whatever it holds.',
  )
  sitemap?: boolean;
}
