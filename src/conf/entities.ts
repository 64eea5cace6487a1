import { ConfSnapshotEntity } from './conf-snapshot.entity.js';
import { ConfigurationEntity } from './configuration.entity.js';
import { RuleFileEntity } from './rule-file.entity.js';
import { SeedListEntity } from './seed-list.entity.js';
import { SeedUrlEntity } from './seed-url.entity.js';

/** The entities of the stores of configurations, rule files and seed lists. */
export const confEntities = [ConfSnapshotEntity, ConfigurationEntity, RuleFileEntity, SeedListEntity, SeedUrlEntity];
