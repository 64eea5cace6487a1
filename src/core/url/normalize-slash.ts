/**
 * urlnormalizer-slash: adds or removes the slash at the end of the path, by host (Nutch `SlashURLNormalizer`).
 *
 * A rule is a line `host +` (add the slash) or `host -` (remove it). The root keeps its slash, a path whose last segment
 * has a file extension (a dot and one to five letters or digits) gets none, and the query is unchanged.
 */
import { HostPatterns } from './host-patterns.js';
import { RuleError, type Rule } from './linear-regex.js';
import { type RewriteUrl, untouched } from './rewrite-result.js';
import { readRuleLines } from './rule-lines.js';
import { splitUrl } from './url-components.js';

interface SlashRule {
  readonly rule: Rule;
  readonly adds: boolean;
}

const FILE_NAME = /\.[A-Za-z0-9]{1,5}$/;

/** @throws RuleError for a line that is not a host and a sign. */
export function compileSlashRules(text: string): RewriteUrl {
  const hosts = new HostPatterns<SlashRule>('narrowest');
  for (const rule of readRuleLines(text)) {
    const [host = '', sign = '', ...more] = rule.text.split(/\s+/);
    if ((sign !== '+' && sign !== '-') || more.length > 0)
      throw new RuleError(rule, null, 'a rule is a host, and + or -');
    hosts.add(host, { rule, adds: sign === '+' }, rule);
  }
  return (url) => {
    const components = splitUrl(url);
    const slashRule = components?.host ? hosts.match(components.host) : undefined;
    if (!components || slashRule === undefined) return untouched(url);
    const path = slashRule.adds ? withSlash(components.path) : withoutSlash(components.path);
    if (path === components.path) return untouched(url);
    const pathStart = url.indexOf(components.path, components.scheme.length + '://'.length);
    return {
      url: url.slice(0, pathStart) + path + url.slice(pathStart + components.path.length),
      rule: slashRule.rule,
    };
  };
}

function withSlash(path: string): string {
  const isFile = path === '' || path.endsWith('/') || FILE_NAME.test(path.slice(path.lastIndexOf('/')));
  return isFile ? path : `${path}/`;
}

/** An empty segment at the end is not a trailing slash: `//` is kept. */
function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') && !path.endsWith('//') ? path.slice(0, -1) : path;
}
