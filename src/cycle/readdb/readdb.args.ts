import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsBoolean, IsOptional } from 'class-validator';
import { AsFlag } from '../args.js';

/** Arguments of READDB. */
export class ReadDbArgs {
  static readonly names = ['sort'];

  @ApiPropertyOptional({ description: 'Counts by host and quantiles of the score, too.', example: true })
  @IsOptional()
  @AsFlag()
  @IsBoolean()
  sort?: boolean;
}
