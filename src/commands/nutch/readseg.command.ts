/** `orbweaver readseg -dump`: the parts of a segment on a running server, as text. A reader that goes away ends it. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { writeBytes, writeFileWhole } from '../page-output.js';
import { namedServer, reach, defaultServer } from '../connect-server.js';
import type { Terminal } from '../terminal.js';
import { crawlOfPath } from '../../core/url/store-path.js';
import { type NutchOptions, batchOfPath, sortWords } from './nutch-commands.js';

/** Options that leave a part of the segment out. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  nogenerate: 'crawl_generate',
  nofetch: 'crawl_fetch',
  nocontent: 'content',
  noparse: 'crawl_parse',
  noparsedata: 'parse_data',
  noparsetext: 'parse_text',
};

const SYNTAX: NutchOptions = {
  values: { dump: 'segment' },
  flags: Object.keys(LEFT_OUT),
  usage: '-dump <segment> [<output>]',
};

interface DumpRequest {
  crawlId: string;
  segment: string;
  parts: string;
  /** The folder of the dump; undefined: stdout. */
  output: string | undefined;
  server: string | undefined;
}

/** Nutch's name for the file of a dump, in the given folder. */
const DUMP = 'dump';

export async function readsegCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { crawlId, segment, parts, output, server } = read(words);
  const { client } = await reach(namedServer('readseg', { server }, terminal) ?? defaultServer(terminal), terminal);
  // Before the request: an answer that is not read would stay open.
  if (output !== undefined)
    await mkdir(output, { recursive: true }).catch((error: Error) => {
      throw usageError('readseg', `cannot write to ${output}: ${error.message}`);
    });
  // The first record may come long after pages that have none of these parts.
  const dump = await client.db.crawlDbBytes({ type: 'dump', crawlId, args: { segment, parts } }, { timeout: 0 });
  if (output === undefined) await writeBytes(dump, terminal);
  else await writeFileWhole('readseg', join(output, DUMP), dump);
  return COMMAND_EXIT.done;
}

/** @throws StartError `environment`, which names the wrong word */
function read(words: readonly string[]): DumpRequest {
  const { positionals, options, flags, conf } = sortWords('readseg', SYNTAX, words);
  const [output, tooMany] = positionals;
  if (tooMany !== undefined)
    throw usageError('readseg', `"${tooMany}" is one word too many; the dump goes to ${output}`);
  if (Object.keys(conf).length > 0) throw usageError('readseg', 'unknown option -D: it reads no properties');
  const path = options.get('dump');
  const [segment] = batchOfPath(path ?? '');
  if (path === undefined || !segment) throw usageError('readseg', `takes ${SYNTAX.usage}`);
  const parts = Object.entries(LEFT_OUT).flatMap(([option, part]) => (flags.has(option) ? [] : [part]));
  if (parts.length === 0) throw usageError('readseg', 'leaves no part to be written');
  return {
    crawlId: options.get('crawlId') ?? crawlOfPath(path) ?? '',
    segment,
    parts: parts.join(','),
    output: output === '-' ? undefined : output,
    server: options.get('server'),
  };
}
