import { choice, int, list, rules, text } from './property.js';
import { ruleFile } from './rule-file-name.js';

const seconds = { unit: 's' };

/** Properties of the scoring filters (Nutch `scoring.*`, `urlmeta.*`). */
export const scoreProperties = {
  'cosine.goldstandard.file': ruleFile('goldstandard.txt', 'File of the gold text, see scoring.similarity.gold.text.'),
  'scoring.content.md': list(
    [],
    'Names of scoring.parse.md whose value scoring-metadata reads from the headers of the answer if the page has no such metadata.',
  ),
  'scoring.depth.max': int(1_000, 'Depth whose links are not followed any more (scoring-depth). A seed has depth 1.', {
    min: 1,
    max: 999_999_999,
  }),
  'scoring.depth.max.override': text(
    '',
    'Maximum depth for URLs that scoring.depth.override.pattern finds.',
    /^\s*\d{0,9}\s*$/,
    'a whole number, or nothing',
  ),
  'scoring.depth.override.pattern': text(
    '',
    'Expression, run in linear time, for URLs with the maximum depth of scoring.depth.max.override; empty: none.',
  ),
  'scoring.filter.order': list(
    [],
    'Order of the scoring filters, by class or plugin id; filters that are not named follow in the order of the table of plugins.',
    ' ',
  ),
  'scoring.opic.mode': choice(
    'nutch2',
    'How scoring-opic keeps scores. nutch2: each UPDATEDB adds the contributions of links. textbook: the importance (C + H) / (G + C of all), with the sum 1 over all pages; every UPDATEDB then writes the score of every page.',
    ['nutch2', 'textbook'],
  ),
  'scoring.orphan.mark.gone.after': int(
    2_592_000,
    'Time after which a page that no fetched page links to counts as gone (scoring-orphan).',
    seconds,
  ),
  'scoring.orphan.mark.orphan.after': int(
    3_456_000,
    'Time after which a page that no fetched page links to becomes db_orphan (scoring-orphan).',
    seconds,
  ),
  'scoring.parse.md': list([], 'Metadata of a page that scoring-metadata copies to the pages it links to.'),
  'scoring.similarity.gold.text': rules(
    '',
    'The text that pages are compared with (scoring-similarity); empty: nothing is added to any score.',
  ),
  'scoring.similarity.model': choice('cosine', 'How scoring-similarity compares.', ['cosine']),
  'scoring.similarity.ngrams': text(
    '1,1',
    'Shortest and longest run of words that scoring-similarity counts.',
    /^[1-5](?:,[1-5])?$/,
    'two numbers from 1 to 5, separated by a comma',
  ),
  'scoring.similarity.stop.words': rules('', 'Words that scoring-similarity leaves out.'),
  'scoring.similarity.stopword.file': ruleFile(
    'stopwords.txt',
    'File of the words to leave out, see scoring.similarity.stop.words.',
  ),
  'urlmeta.tags': list([], 'Metadata of seeds that urlmeta copies to the pages found from them.'),
};
