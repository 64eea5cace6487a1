/** Explains why a crawl fetched nothing, by asking the server about its seeds. */
import type { ReasonDto } from '../../../clients/typescript/src/generated/schemas.js';
import type { Orbweaver } from '../../../clients/typescript/src/orbweaver.js';

export const OPEN_INNER =
  'Addresses inside your network are never fetched unless you say so: add --conf http.filter.ipaddress.exclude= for a local try.';

const MAX_SEEDS = 3;
/** Reasons that only follow from the failure of the last attempt: the page's own status is more precise. */
const AFTERMATH = ['RETRY', 'NOT_DUE'];

export interface Nothing {
  readonly seeds: readonly string[];
  readonly crawlId: string;
  readonly confId: string;
}

/** Lines that explain for the first seeds why they were not fetched, and what can be done. */
export async function whyNothing(client: Orbweaver, { seeds, crawlId, confId }: Nothing): Promise<string[]> {
  const lines: string[] = ['Nothing was fetched:'];
  let inner = false;
  for (const url of seeds.slice(0, MAX_SEEDS)) {
    const { fetchable, page } = await client.inspect.url({ url, crawlId, confId, robots: true });
    const { protocolStatus } = page ?? {};
    const last = protocolStatus
      ? [`the last visit ended with ${protocolStatus.name} ${protocolStatus.args.join(' ')}`.trim()]
      : [];
    const reasons = fetchable.reasons.filter(({ code }) => !AFTERMATH.includes(code)).map(({ message }) => message);
    lines.push(`  ${url}: ${[...last, ...reasons].join('; ') || 'no reason is known'}`);
    inner ||= fetchable.reasons.some(isInner);
  }
  return inner ? [...lines, OPEN_INNER] : lines;
}

const isInner = ({ code }: ReasonDto): boolean => code === 'INNER_ADDRESS';
