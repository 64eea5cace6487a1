/**
 * Chooses the representative URL of a page reached by a redirect (Nutch `URLUtil.chooseRepr`, docs/semantics/fetch.md).
 *
 * Another registered domain: the target. Permanent: the source when it is a root page, else the target. Temporary:
 * the root page of the two; else, on one host, the one with fewer path segments, then the shorter path; else the one with
 * fewer host labels. A tie keeps the source.
 */
import { domainOf } from './domain.js';
import { hostLabels } from './ip-host.js';
import { splitUrl } from './url-components.js';

interface HostAndFile {
  host: string;
  file: string;
  isRoot: boolean;
}

function hostAndFile(url: string): HostAndFile | null {
  const components = splitUrl(url);
  if (components === null) return null;
  const file = components.path + components.query;
  return { host: (components.host ?? '').toLowerCase(), file, isRoot: file === '' || file === '/' };
}

/**
 * Metadata of a page reached by a redirect: the representative URL of the chain so far, as in Nutch
 * (`Nutch.REPR_URL_KEY`). It is compared with the next hop, and becomes the representative URL of the last page.
 */
export const REPRESENTATIVE_KEY = '_repr_';

/** The representative URL: `source` or `target`. */
export function chooseRepresentative(source: string, target: string, temporary: boolean): string {
  const from = hostAndFile(source);
  const to = hostAndFile(target);
  if (from === null || to === null || domainOf(from.host) !== domainOf(to.host)) return target;
  if (!temporary) return from.isRoot ? source : target;
  return targetIsBetter(from, to) ? target : source;
}

function targetIsBetter(from: HostAndFile, to: HostAndFile): boolean {
  if (from.isRoot !== to.isRoot) return to.isRoot;
  if (from.isRoot || from.host !== to.host) return labelCount(to.host) < labelCount(from.host);
  const deeper = segmentCount(to.file) - segmentCount(from.file);
  return deeper === 0 ? to.file.length < from.file.length : deeper < 0;
}

const labelCount = (host: string) => hostLabels(host).length;

/** Number of segments between slashes, without empty ones at the end. */
const segmentCount = (file: string) => file.split('/').findLastIndex((segment) => segment !== '') + 1;
