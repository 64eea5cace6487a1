import { IsBoolean, IsOptional } from 'class-validator';
import { AsFlag } from '../args.js';
import { Described } from '../described.js';

/** Arguments of READDB. */
export class ReadDbArgs {
  static readonly names = ['sort'];

  @Described({ description: 'Counts by host and quantiles of the score, too.', example: true })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  sort?: boolean;
}
