import { IsBoolean, IsOptional } from 'class-validator';
import { AsFlag, StorePath } from '../args.js';
import { Described } from '../described.js';

/** Arguments of READDB. */
export class ReadDbArgs {
  static readonly names = ['sort', 'crawldb'];

  @Described({ description: 'Counts by host and quantiles of the score, too.', example: true })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  sort?: boolean;

  @StorePath('crawldb')
  crawldb?: string;
}
