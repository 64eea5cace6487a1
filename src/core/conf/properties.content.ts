import { choice, flag, int, list } from './property.js';

/** Properties of the language of a page, and of its main content as text (Nutch `lang.*`, `tika.*`). */
export const contentProperties = {
  'lang.analyze.max.length': int(2_048, 'Characters looked at to identify a language. 0: 65,536.', {
    min: 1,
    max: 65_536,
    unit: 'characters',
    noLimit: 0,
  }),
  'lang.extraction.policy': choice(
    'detect,identify',
    'How a language is found, by the plugin language-identifier and by the built-in index: detect reads what the page says, identify looks at the text.',
    ['detect', 'identify', 'identify,detect'],
  ),
  'lang.identification.only.certain': flag(false, 'A language that was identified without certainty is not kept.'),
  'lang.index.languages': list([], 'Index pages of these languages only (plugin language-identifier). Empty: of all.'),
  'tika.boilerpipe': flag(false, 'The text of a page is its main content (2.x).'),
  'tika.extractor': choice('none', 'With boilerpipe, the text of a page is its main content.', ['boilerpipe']),
  'tika.extractor.boilerpipe.mime.types': list(
    ['text/html', 'application/xhtml+xml'],
    'Types of pages whose text is replaced by their main content.',
  ),
};
