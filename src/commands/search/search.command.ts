import { expandModes } from '../../core/search/feedback.js';
import { similarities } from '../../core/search/score/ranking.js';
import { defaultServer, namedServer, reach, serverOptions, startOnKept, whileReached } from '../connect-server.js';
import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { readWords, wholeNumber } from '../parse-args.js';
import { printable, printableJson, type Terminal } from '../terminal.js';
import { answerLines } from './answer-lines.js';

const options = {
  ...serverOptions,
  'crawl-id': { type: 'string' },
  'conf-id': { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  segment: { type: 'string' },
  expand: { type: 'string' },
  similarity: { type: 'string' },
  'no-collapse': { type: 'boolean' },
  explain: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** `orbweaver search`: the best hits of a query, for people or as JSON. */
export async function searchCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readWords('search', words, options);
  if (positionals.length === 0) throw usageError('search', 'what is searched for?');
  const limit = wholeNumber('search', 'limit', values.limit, 100);
  const similarity = oneOf('similarity', similarities, values.similarity);
  const expand = oneOf('expand', expandModes, values.expand);
  const named = namedServer('search', values, terminal);
  const starting = values.data
    ? startOnKept('search', values.data, terminal)
    : reach(named ?? defaultServer(terminal), terminal);
  return whileReached(starting, async ({ client }) => {
    const { 'crawl-id': crawlId, 'conf-id': confId, 'no-collapse': showsAll, cursor, segment, explain } = values;
    const answer = await client.search.search({
      q: positionals.join(' '),
      ...(crawlId !== undefined && { crawlId }),
      ...(confId !== undefined && { confId }),
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      ...(segment !== undefined && { segment }),
      ...(expand !== undefined && { expand }),
      ...(similarity !== undefined && { similarity }),
      ...(showsAll && { collapse: false }),
      ...(explain && { explain }),
    });
    const text = values.json ? printableJson(answer) : printable(answerLines(answer).join('\n'));
    terminal.stdout.write(`${text}\n`);
    return answer.hits.length > 0 ? COMMAND_EXIT.done : COMMAND_EXIT.nothing;
  });
}

function oneOf<T extends string>(option: string, names: readonly T[], text: string | undefined): T | undefined {
  const match = names.find((name) => name === text);
  if (text === undefined || match !== undefined) return match;
  throw usageError('search', `--${option} takes ${names.join(', ')}; given: "${text}"`);
}
