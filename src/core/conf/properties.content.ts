import { choice, flag, int, list, rules } from './property.js';

/** Properties of results beyond the text of a page: PDF, main content, values selected by rules, language. */
export const contentProperties = {
  'lang.analyze.max.length': int(2_048, 'Characters looked at to identify a language.', {
    min: 1,
    max: 65_536,
    unit: 'characters',
  }),
  'lang.extraction.policy': choice(
    'detect,identify',
    'How a language is found, by the plugin language-identifier and by the built-in index: detect reads what the page says, identify looks at the text.',
    ['detect', 'identify', 'identify,detect'],
  ),
  'lang.identification.only.certain': flag(false, 'A language that was identified without certainty is not kept.'),
  'parse.extract.rules': rules(
    '',
    'Values that are kept as metadata, one rule a line, columns divided by tabs: name, expression for the URL, css or xpath, expression, and where wanted text (default), html, number or @attribute, and all.',
  ),
  'parse.markdown': flag(false, 'Keep the main content of a page as Markdown, as metadata `markdown`.'),
  'parse.readable': flag(false, 'Keep the main content of a page as text, as metadata `readable`.'),
  'parse.readable.limit': int(100_000, 'Characters kept of the metadata `readable` and `markdown`.', {
    min: 1,
    max: 1_048_576,
    unit: 'characters',
  }),
  'parser.pdf.pages': int(1_000, 'Pages of a PDF that are read.', { min: 1, max: 100_000 }),
  'parser.worker.memory': int(
    384,
    'Memory of each process that reads PDFs and document trees. A page that takes more fails.',
    {
      min: 192,
      max: 16_384,
      unit: 'MB',
    },
  ),
  'parser.worker.processes': int(
    2,
    'Processes of a worker that read PDFs and document trees, at most: one, and more where pages wait and cores are free.',
    { min: 1, max: 16 },
  ),
  'tika.boilerpipe': flag(false, 'The text of a page is its main content (2.x).'),
  'tika.extractor': choice('none', 'With boilerpipe, the text of a page is its main content.', ['boilerpipe']),
  'tika.extractor.boilerpipe.mime.types': list(
    ['text/html', 'application/xhtml+xml'],
    'Types of pages whose text is replaced by their main content.',
  ),
};
