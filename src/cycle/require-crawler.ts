import type { Conf } from '../core/conf/properties.js';
import { speaksHttp } from '../plugin/http-protocol.js';
import { speaksAny } from '../plugin/protocols.js';
import { StepError } from './step.js';

/**
 * @throws StepError if the configuration has no protocol plugin or no name for the crawler, without which nothing is
 * requested
 */
export function requireCrawler(conf: Conf): void {
  if (!speaksAny(conf))
    throw new StepError("No protocol plugin: 'plugin.includes' must name protocol-http.", 'PROTOCOL_MISSING');
  requireName(conf);
}

/** For a step that requests by HTTP alone. @throws StepError if HTTP is not active, or the crawler has no name */
export function requireHttpCrawler(conf: Conf): void {
  if (!speaksHttp(conf))
    throw new StepError("No protocol plugin: 'plugin.includes' must name protocol-http.", 'PROTOCOL_MISSING');
  requireName(conf);
}

function requireName(conf: Conf): void {
  if (conf['http.agent.name'].trim() === '')
    throw new StepError("No agents listed in 'http.agent.name' property.", 'AGENT_NAME_MISSING');
}
