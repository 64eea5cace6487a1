import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { writeFileWhole } from '../page-output.js';
import { namedServer, reach, defaultServer } from '../connect-server.js';
import type { Terminal } from '../terminal.js';
import { crawlOfPath } from '../../core/url/store-path.js';
import { batchOfPath } from './nutch-commands.js';

/** Options that leave a part of the segment out. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  nogenerate: 'crawl_generate',
  nofetch: 'crawl_fetch',
  nocontent: 'content',
  noparse: 'crawl_parse',
  noparsedata: 'parse_data',
  noparsetext: 'parse_text',
};

interface Asked {
  crawlId: string;
  segment: string;
  parts: string;
  /** The folder of the dump; undefined: stdout. */
  output: string | undefined;
  server: string | undefined;
}

/** Nutch's name for the file of a dump, in the given folder. */
const DUMP = 'dump';

/** `orbweaver readseg -dump`: the parts of a segment on a running server, as text. A reader that goes away ends it. */
export async function readsegCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { crawlId, segment, parts, output, server } = read(words);
  const { client } = await reach(namedServer('readseg', { server }, terminal) ?? defaultServer(terminal), terminal);
  // The first record may come long after pages that have none of these parts.
  const dump = await client.db.crawlDbBytes({ type: 'dump', crawlId, args: { segment, parts } }, { timeout: 0 });
  if (output !== undefined) {
    await mkdir(output, { recursive: true }).catch((error: Error) => {
      throw usageError('readseg', `cannot write to ${output}: ${error.message}`);
    });
    await writeFileWhole('readseg', join(output, DUMP), dump);
    return COMMAND_EXIT.done;
  }
  await pipeline(dump, terminal.stdout, { end: false }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  return COMMAND_EXIT.done;
}

/** @throws StartError `environment`, which names the wrong word */
function read(words: readonly string[]): Asked {
  const given = new Map<string, string>();
  const parts = new Set(Object.values(LEFT_OUT));
  let output: string | undefined;
  for (let at = 0; at < words.length; at += 1) {
    const word = words[at] ?? '';
    const name = word.replace(/^--?/, '');
    if (word === '-' || !word.startsWith('-')) {
      if (output !== undefined)
        throw usageError('readseg', `"${word}" is one word too many; the dump goes to ${output}`);
      output = word;
      continue;
    }
    if (Object.hasOwn(LEFT_OUT, name)) parts.delete(LEFT_OUT[name]!);
    else if (['dump', 'crawlId', 'server'].includes(name)) {
      const value = words[(at += 1)];
      if (value === undefined) throw usageError('readseg', `${word} takes a value`);
      given.set(name, value);
    } else throw usageError('readseg', `unknown option ${word}`);
  }
  const path = given.get('dump');
  const [segment] = batchOfPath(path ?? '');
  if (path === undefined || !segment) throw usageError('readseg', 'takes -dump <segment> [<output>]');
  if (parts.size === 0) throw usageError('readseg', 'leaves no part to be written');
  const crawlId = given.get('crawlId') ?? crawlOfPath(path) ?? '';
  return {
    crawlId,
    segment,
    parts: [...parts].join(','),
    output: output === '-' ? undefined : output,
    server: given.get('server'),
  };
}
