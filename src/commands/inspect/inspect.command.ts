import type { InspectUrl } from '../../../clients/typescript/src/generated/schemas.js';
import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { applyConf } from '../apply-conf.js';
import { namedServer, reach, serverOptions, startOnKept, startOwn, whileReached } from '../connect-server.js';
import { printable, printableJson, type Terminal } from '../terminal.js';
import { keyValues, readWords, refuseTwoConfs } from '../parse-args.js';
import { verdictLines } from './verdict.js';

const options = {
  ...serverOptions,
  robots: { type: 'boolean' },
  agent: { type: 'string' },
  'crawl-id': { type: 'string' },
  scope: { type: 'string' },
  from: { type: 'string' },
  conf: { type: 'string', multiple: true },
  'conf-id': { type: 'string' },
  json: { type: 'boolean' },
} as const;

/** `orbweaver inspect`: one question, one verdict. */
export async function inspectCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readWords('inspect', words, options);
  const [url, ...more] = positionals;
  if (url === undefined) throw usageError('inspect', 'which URL?');
  if (more.length > 0) throw usageError('inspect', `one URL at a time; "${more[0]}" is one too many`);
  refuseTwoConfs('inspect', values);
  const agent: Record<string, string> = values.agent ? { 'http.agent.name': values.agent } : {};
  const conf = { ...keyValues('inspect', '--conf', values.conf), ...agent };
  const named = namedServer('inspect', values, terminal);
  const starting = named
    ? reach(named, terminal)
    : values.data
      ? startOnKept('inspect', values.data, terminal)
      : startOwn({ workers: 1 }, terminal);
  return whileReached(starting, async ({ client }) => {
    const confId = values['conf-id'] ?? (await applyConf(client, 'cli-inspect', conf));
    const { from, robots = false, 'crawl-id': crawlId } = values;
    // The server checks the scope, and names the valid ones.
    const scope = values.scope as InspectUrl['scope'];
    const inspected = await client.inspect.url({
      url,
      confId,
      robots,
      ...(crawlId !== undefined && { crawlId }),
      ...(from && { from }),
      ...(scope && { scope }),
    });
    const text = values.json ? printableJson(inspected) : printable(verdictLines(inspected).join('\n'));
    terminal.stdout.write(`${text}\n`);
    return inspected.fetchable.now ? COMMAND_EXIT.done : COMMAND_EXIT.nothing;
  });
}
