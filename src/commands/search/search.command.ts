import type { SearchAnswer, SearchHitDto } from '../../../clients/typescript/src/generated/schemas.js';
import { namedServer, reach, serverOptions, startOwn, whileReached } from '../connect-server.js';
import { COMMAND_EXIT, usageError } from '../exit-codes.js';
import { readWords, wholeNumber } from '../parse-args.js';
import { printable, type Terminal } from '../terminal.js';

const options = {
  ...serverOptions,
  'crawl-id': { type: 'string' },
  'conf-id': { type: 'string' },
  limit: { type: 'string' },
  cursor: { type: 'string' },
  explain: { type: 'boolean' },
  json: { type: 'boolean' },
} as const;

/** `orbweaver search`: the best hits of a query, for people or as JSON. */
export async function searchCommand(words: readonly string[], terminal: Terminal): Promise<number> {
  const { values, positionals } = readWords('search', words, options);
  if (positionals.length === 0) throw usageError('search', 'what is searched for?');
  const limit = wholeNumber('search', 'limit', values.limit, 100);
  const named = namedServer('search', values, terminal);
  const starting = named ? reach(named, terminal) : startOwn({ dataDir: values.data, workers: 1 }, terminal);
  return whileReached(starting, async ({ client }) => {
    const { 'crawl-id': crawl, 'conf-id': confId, cursor, explain } = values;
    const found = await client.search.search({
      q: positionals.join(' '),
      ...(crawl !== undefined && { crawl }),
      ...(confId !== undefined && { confId }),
      ...(limit !== undefined && { limit }),
      ...(cursor !== undefined && { cursor }),
      ...(explain && { explain }),
    });
    const text = values.json ? JSON.stringify(found, null, 2) : linesOf(found).join('\n');
    terminal.stdout.write(`${printable(text)}\n`);
    return found.hits.length > 0 ? COMMAND_EXIT.done : COMMAND_EXIT.nothing;
  });
}

function linesOf({ hits, total, exact, cursor, notes, didYouMean }: SearchAnswer): string[] {
  return [
    ...notes,
    ...(didYouMean === null ? [] : [`Did you mean: ${didYouMean}`]),
    `${exact ? '' : 'at least '}${total} found`,
    ...hits.flatMap(hitLines),
    ...(cursor === null ? [] : ['', `more with --cursor '${cursor}'`]),
  ];
}

function hitLines({ url, title, score, snippets, duplicates, explanation }: SearchHitDto): string[] {
  const near = duplicates === 0 ? '' : ` (and ${duplicates} nearly the same)`;
  return [
    '',
    `${title === '' ? url : title}${near}`,
    `  ${url}  ${score.toFixed(2)}`,
    ...snippets.map(({ text }) => `  ${text}`),
    ...(explanation ? explanationLines(explanation, 1) : []),
  ];
}

type Told = NonNullable<SearchHitDto['explanation']>;

const explanationLines = ({ value, description, details }: Told, depth: number): string[] => [
  `${'  '.repeat(depth)}${value.toFixed(4)} ${description}`,
  ...(details as unknown as Told[]).flatMap((one) => explanationLines(one, depth + 1)),
];
