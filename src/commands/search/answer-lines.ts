import type { SearchAnswer, SearchHitDto } from '../../../clients/typescript/src/generated/schemas.js';

/** The result of a search, for people. */
export function answerLines({ hits, total, exact, cursor, notes, didYouMean }: SearchAnswer): string[] {
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

type Explanation = NonNullable<SearchHitDto['explanation']>;

const explanationLines = ({ value, description, details }: Explanation, depth: number): string[] => [
  `${'  '.repeat(depth)}${value.toFixed(4)} ${description}`,
  ...(details as unknown as Explanation[]).flatMap((detail) => explanationLines(detail, depth + 1)),
];
