import { ConfSnapshotEntity } from './conf-snapshot.entity.js';
import { ConfigurationEntity } from './configuration.entity.js';
import { RuleFileEntity } from './rule-file.entity.js';
import { SeedListEntity } from './seed-list.entity.js';
import { SeedUrlEntity } from './seed-url.entity.js';

/** The entities that the stores of configurations, rule files and seed lists stand on. */
export const confEntities = [ConfSnapshotEntity, ConfigurationEntity, RuleFileEntity, SeedListEntity, SeedUrlEntity];
