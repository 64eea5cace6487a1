/** Evaluates a given robots.txt with the parser and the rules of the crawl; sends no request. */
import { parseRobots } from '../../core/robots/robots-file.js';
import { judge } from '../../core/robots/robots-verdict.js';
import type { InspectRobots, InspectedRobots } from './robots.dto.js';
import { bytesOfBase64 } from './strict-base64.js';
import { fieldRefused } from '../refused-fields.js';

/** Throws FIELDS_INVALID when not exactly one form of the file is given. */
export function inspectRobots({ url, robotsTxt, robotsBase64, agent }: InspectRobots): InspectedRobots {
  const robots = parseRobots(givenRobots(robotsTxt, robotsBase64));
  const agents = agent
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '');
  const { allowed, line, crawlDelay, agents: matched } = judge(robots, agents, url);
  return { allowed, agents: [...matched], crawlDelay, line, sitemaps: [...robots.sitemaps] };
}

function givenRobots(text: string | undefined, base64: string | undefined): string | Buffer {
  const forms = [text, base64].filter((form) => form !== undefined && form !== null);
  if (forms.length === 1) return text ?? bytesOfBase64('robotsBase64', base64 ?? '');
  const which = forms.length === 0 ? 'none is' : 'both are';
  throw fieldRefused('robotsTxt', `one of robotsTxt and robotsBase64 must be given (given: ${which})`);
}
