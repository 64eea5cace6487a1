import { usageError, COMMAND_EXIT } from '../exit-codes.js';
import { openOutput } from '../page-output.js';
import { withTexts } from '../page-texts.js';
import { namedServer, reach, serverOptions, startOnKept, defaultServer, whileReached } from '../connect-server.js';
import { log, type Terminal } from '../terminal.js';
import { pageStatuses, readWords } from '../parse-args.js';

const options = {
  ...serverOptions,
  'crawl-id': { type: 'string' },
  out: { type: 'string' },
  status: { type: 'string' },
  host: { type: 'string' },
  prefix: { type: 'string' },
  text: { type: 'boolean' },
} as const;

/** `orbweaver export`: every page of a crawl, streamed from end to end. */
export async function exportCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readWords('export', words, options);
  if (positionals.length > 0) throw usageError('export', `"${positionals[0]}" is no option; the crawl is --crawl-id`);
  const { 'crawl-id': crawlId = '', out = '-', host, prefix, data } = values;
  const status = pageStatuses('export', values.status);
  const named = namedServer('export', values, terminal);
  const output = await openOutput('export', out, terminal);
  const starting = data ? startOnKept('export', data, terminal) : reach(named ?? defaultServer(terminal), terminal);
  return whileReached(starting, async ({ client }) => {
    const query = { crawlId, ...(status && { status }), ...(host && { host }), ...(prefix && { prefix }) };
    const pages = client.pages(query);
    const written = await output.write(values.text ? withTexts(client, crawlId, pages) : pages);
    if (out !== '-') log(terminal, `${written} pages written to ${out}`);
    return COMMAND_EXIT.done;
  }).finally(() => output.close());
}
