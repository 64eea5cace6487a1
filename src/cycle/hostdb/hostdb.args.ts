import { IsOptional, IsString, MaxLength } from 'class-validator';
import { FlagArg, StorePathArg } from '../arg-kinds.js';
import { Described } from '../arg-description.js';

export class HostDbArgs {
  @Described({
    description:
      'Metadata of hosts, applied over the known metadata before anything else: one host a line, `host TAB key=value …` (2.x host injector).',
    example: 'site.test\tq_cd=2000\towner=docs',
  })
  @IsOptional()
  @IsString()
  @MaxLength(4_194_304)
  hosts?: string;

  @FlagArg('Resolve new, known and failed hosts.')
  checkAll?: boolean;

  @FlagArg('Resolve hosts that were not resolved yet (hostdb.check.new).')
  checkNew?: boolean;

  @FlagArg('Resolve hosts that were resolved before (hostdb.check.known).')
  checkKnown?: boolean;

  @FlagArg('Resolve hosts that could not be resolved before (hostdb.check.failed).')
  checkFailed?: boolean;

  @FlagArg('Resolve whatever the age of what is known (hostdb.force.check).')
  force?: boolean;

  @FlagArg('Leave out hosts whose home page the URL filters refuse (hostdb.url.filter).')
  filter?: boolean;

  @FlagArg('Normalize home pages before that (hostdb.url.normalize).')
  normalize?: boolean;

  @StorePathArg('crawldb')
  crawldb?: string;

  @StorePathArg('hostdb')
  hostdb?: string;
}
