import { lookup } from 'node:dns/promises';
import { queueKeyOf } from '../core/url/partition.js';

/**
 * Maps a URL to its fetch queue, that of its host, domain or address (`fetcher.queue.mode`). Addresses are resolved once per host
 * and task.
 */
export class QueueIds {
  private readonly addresses = new Map<string, string>();

  constructor(private readonly mode: string) {}

  async of(url: string): Promise<string> {
    return (await this.ofAll([url]))[0]!;
  }

  /** @returns one id per URL, in the same order */
  async ofAll(urls: readonly string[]): Promise<string[]> {
    if (this.mode !== 'byIP') return urls.map((url) => queueKeyOf(url, this.mode));
    const hosts = urls.map((url) => new URL(url).hostname);
    await this.resolve(hosts);
    return urls.map((url, i) => queueKeyOf(url, this.mode, this.addresses.get(hosts[i]!)));
  }

  private async resolve(hosts: string[]): Promise<void> {
    const unknown = [...new Set(hosts)].filter((host) => host !== '' && !this.addresses.has(host));
    await Promise.all(
      unknown.map(async (host) => {
        const found = await lookup(host).catch(() => null);
        if (found) this.addresses.set(host, found.address);
      }),
    );
  }
}
