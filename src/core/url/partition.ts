/**
 * Assigns a URL to a fetch queue, and so to a task (docs/semantics/generate.md).
 *
 * All pages of a host must be in one task, or its crawl delay cannot be kept. The queue key is the host, the registered
 * domain or the address (`partition.url.mode`, `fetcher.queue.mode`); a row stores the 31-bit hash of its queue key, and
 * the number of a partition is that hash modulo the number of partitions.
 */
import { domainOf } from './domain.js';
import { hostForRules } from './idn.js';
import { hostOfUrl } from './url-components.js';

/**
 * The queue key of a URL; an unknown mode counts as byHost. Hosts are in ASCII, whatever form rows have
 * (`urlnormalizer.basic.host.idn`): a host has one queue.
 * `byIP` uses the address that the caller passes and falls back to the host if there is none, so that the pages of a
 * host stay together. All files of this machine have one key, as in Nutch; another URL without a host is its own key.
 */
export function queueKeyOf(url: string, mode: string, ip?: string): string {
  const host = hostForRules(hostOfUrl(url));
  if (host === '') return url.startsWith('file:') ? 'file://' : url;
  if (mode === 'byDomain') return domainOf(host);
  return mode === 'byIP' && ip ? ip : host;
}

/** Java's string hash (31-polynomial over UTF-16 units) XOR `partition.url.seed`, an integer from 0 to 2^31 - 1. */
export function partitionHash(queueKey: string, seed = 0): number {
  let hash = 0;
  for (let i = 0; i < queueKey.length; i++) hash = (Math.imul(hash, 31) + queueKey.charCodeAt(i)) | 0;
  return (hash ^ seed) & 0x7fffffff;
}
