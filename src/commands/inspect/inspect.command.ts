import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { layConf } from '../lay-conf.js';
import { namedServer, reach, serverOptions, startOwn } from '../reach.js';
import type { Terminal } from '../terminal.js';
import { keyValues, readWords } from '../words.js';
import { verdictLines } from './verdict.js';

const options = {
  ...serverOptions,
  robots: { type: 'boolean' },
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
  const conf = keyValues('inspect', '--conf', values.conf);
  const named = namedServer('inspect', values, terminal);
  const { client, release } = named
    ? await reach(named, terminal)
    : await startOwn({ dataDir: values.data, workers: 1 }, terminal);
  try {
    const confId = values['conf-id'] ?? (await layConf(client, 'cli-inspect', conf));
    const { scope, from, robots = false, 'crawl-id': crawlId } = values;
    const question = { url, confId, robots, ...(crawlId !== undefined && { crawlId }), ...(from && { from }) };
    const found = await client.inspect.url({ ...question, ...(scope && { scope: scope as 'default' }) });
    const text = values.json ? JSON.stringify(found, null, 2) : verdictLines(found).join('\n');
    terminal.stdout.write(`${text}\n`);
    return found.fetchable.now ? COMMAND_EXIT.done : COMMAND_EXIT.nothing;
  } finally {
    await release();
  }
}
