import type { InspectedUrl, ReasonDto, UrlStepDto } from '../../../clients/typescript/src/generated/schemas.js';
import { ruleName } from '../../core/url/linear-regex.js';

/** The result of inspecting a URL, as lines for people: the verdict first, then the steps. */
export function verdictLines(inspected: InspectedUrl): string[] {
  const { fetchable, robots, page } = inspected;
  const blocking = fetchable.reasons.filter(({ blocks }) => blocks);
  const notes = fetchable.reasons.filter(({ blocks }) => !blocks);
  return [
    inspected.normalized && inspected.normalized !== inspected.given
      ? `${inspected.given} → ${inspected.normalized}`
      : inspected.given,
    fetchable.now ? 'would be fetched now' : 'is not fetched now, because',
    ...blocking.map(reasonLine),
    ...(notes.length > 0 ? ['Also:', ...notes.map(reasonLine)] : []),
    ...(robots ? [`robots.txt: ${robotsWords(robots)}`] : []),
    ...(page ? [`page: ${pageWords(page)}`] : []),
    ...stepLines(inspected.steps),
  ];
}

function reasonLine({ code, message, until }: ReasonDto): string {
  return `  ${code}: ${message}${until && !message.includes(until) ? ` (until ${until})` : ''}`;
}

function robotsWords({ state, allowed, line, why, crawlDelay }: NonNullable<InspectedUrl['robots']>): string {
  const verdict = allowed === null ? state : allowed ? 'allowed' : 'disallowed';
  const by = line ? `, line ${line.number}: ${line.text}` : why ? `, ${why}` : '';
  return verdict + by + (crawlDelay === null ? '' : `; Crawl-delay ${crawlDelay} s`);
}

function pageWords({
  status,
  protocolStatus,
  httpStatus,
  fetchTime,
  title,
}: NonNullable<InspectedUrl['page']>): string {
  const last = protocolStatus
    ? `, last visit ${protocolStatus.name}${httpStatus === null ? '' : ` (${httpStatus})`}`
    : '';
  return `${status}${last}, due ${fetchTime}${title ? `, "${title}"` : ''}`;
}

/** Plugins that left the URL unchanged are omitted, unless they dropped it. */
function stepLines(steps: readonly UrlStepDto[]): string[] {
  const shown = steps.filter(({ before, after, kind }) => after !== before || kind === 'filter');
  return shown.map(({ plugin, kind, before, after, rules }) => {
    const by = rules.map(ruleName).join(', ');
    const effect = after === null ? 'drops it' : after === before ? 'accepts it' : `makes it ${after}`;
    return `  ${kind} ${plugin} ${effect}${by ? ` (${by})` : ''}`;
  });
}
