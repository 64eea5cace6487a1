/** The keys that keep pages in one partition, after the normalizers of scope `partition` if they are enabled. */
import type { Conf } from '../../core/conf/properties.js';
import { hostKeyOf, rowKeyOrNull, unreverseUrl } from '../../core/url/row-key.js';
import type { UrlRules } from '../../core/url/url-rules.js';
import type { GroupKeys } from './group-keys.js';

export class PartitionKeys {
  /** URLs that were normalized. */
  normalized = 0;
  /** By address it is the page's own host that counts: one lookup a host. */
  private readonly normalizes: boolean;

  constructor(
    private readonly groups: GroupKeys,
    private readonly rules: UrlRules,
    conf: Conf,
  ) {
    this.normalizes = conf['partition.url.normalise'] && conf['partition.url.mode'] !== 'byIP';
  }

  /** A page whose URL the normalizers drop, or leave without a host, is in the partition of its own host. */
  keyOf({ host, key }: { host: string; key: string }): string {
    if (!this.normalizes) return this.groups.partitionKey(host);
    this.normalized++;
    const normal = this.rules.normalize(unreverseUrl(key), 'partition');
    const normalKey = normal === null ? null : rowKeyOrNull(normal);
    return this.groups.partitionKey((normalKey !== null && hostKeyOf(normalKey)) || host);
  }
}
