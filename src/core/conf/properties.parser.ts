import { LINE_SEPARATORS } from '../html/elements.js';
import { HTML_METADATA } from '../page/page-metadata.js';
import { choice, flag, float, int, list, rules, text } from './property.js';
import { ruleFile } from './rule-file-name.js';

/** Properties of PARSE (Nutch `parser.*`, `parse.*`). */
export const parserProperties = {
  'encodingdetector.charset.min.confidence': int(-1, 'Charset guesses need this confidence. -1: do not guess.', {
    min: -1,
    max: 100,
  }),
  headings: list(['h1', 'h2'], 'Elements whose text becomes metadata of the page (plugin headings), such as h1,h2.'),
  'headings.multivalued': flag(false, 'Keep all headings of an element, separated by tabs, instead of the first one.'),
  'htmlparsefilter.order': list([], 'Order of the parse filters. Empty: as enabled.', ' '),
  'metatags.names': list(['description', 'keywords'], 'Meta elements kept as metadata `metatag.<name>`. *: all.'),
  'mime.type.magic': flag(true, 'Look at the first bytes of a page to find its type.'),
  'parse.extract.rules': rules(
    '',
    'Values that are kept as metadata, one rule a line, columns separated by tabs: name, expression for the URL, css or xpath, expression, and where wanted text (default), html, number or @attribute, and all.',
  ),
  'parse.html.metadata': list(
    [],
    'What pages say in their own data, kept as metadata: og (og:title …), jsonld, hreflang, images.',
    ',',
    HTML_METADATA,
  ),
  'parse.filter.urls': flag(true, 'Filter outlinks while parsing.'),
  'parse.markdown': flag(false, 'Keep the main content of a page as Markdown, as metadata `markdown`.'),
  'parse.plugin.file': ruleFile('parse-plugins.xml', 'File of parser.plugins, lines or the XML of Nutch.'),
  'parse.normalize.urls': flag(true, 'Normalize outlinks while parsing.'),
  'parse.readable': flag(false, 'Keep the main content of a page as text, as metadata `readable`.'),
  'parse.readable.limit': int(100_000, 'Characters kept of the metadata `readable` and `markdown`.', {
    min: 1,
    max: 1_048_576,
    unit: 'characters',
  }),
  'parser.caching.forbidden.policy': choice(
    'content',
    'Metadata caching.forbidden of a page that forbids caching, for whoever shows or indexes it; all of the page is kept.',
    ['content', 'all', 'none'],
  ),
  'parser.character.encoding.default': text(
    'windows-1252',
    'Charset of pages that declare none.',
    /^[A-Za-z0-9][A-Za-z0-9._:-]{0,39}$/,
    'the name of a charset',
  ),
  'parser.delete.failed.parse': flag(false, 'Mark pages that cannot be parsed as failed, with a longer interval.'),
  'parser.plugins': rules(
    '',
    'Lines of a type and the plugins that are tried for it, in order; * for all others. Types without a line go to the plugins that claim them.',
  ),
  'parser.html.form.use_action': flag(false, 'Follow the targets of forms that are not sent by POST.'),
  'parser.html.line.separators': list(LINE_SEPARATORS, 'Elements that end a line of text.'),
  'parser.html.outlinks.htmlnode_metadata_name': text(
    '',
    'Name of the page metadata that lists the element of each outlink (a, img …), in order, separated by tabs. Empty: not stored.',
    /^[\w.:-]{0,100}$/,
    'a name of letters, digits, dots, colons and hyphens',
  ),
  'parser.html.outlinks.rel.ignore': list(
    ['nofollow'],
    'Words of rel by which a link is not followed, such as nofollow,ugc,sponsored. Empty: none.',
  ),
  'parser.html.outlinks.ignore_tags': list([], 'Elements whose links are not followed, such as img,script,link.'),
  'parser.pdf.pages': int(1_000, 'Pages of a PDF that are read.', { min: 1, max: 100_000 }),
  'parser.skip.truncated': flag(true, 'Do not parse content that was cut off.'),
  'parser.store.text': flag(true, 'Keep the text of a page.'),
  'parser.text.limit': int(1_048_576, 'Characters of text kept of a page.', {
    min: 1,
    max: 67_108_864,
    unit: 'characters',
  }),
  'parser.timeout': float(
    30,
    'Longest time of one reading of a page that may take long: PDF, rules, main content, Markdown. -1: an hour.',
    { min: 0.1, max: 3_600, unit: 's', noLimit: -1 },
  ),
  'parser.title.limit': int(1_000, 'Characters of title kept of a page.', { min: 1, max: 100_000, unit: 'characters' }),
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
};
