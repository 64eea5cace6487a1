import { int } from './property.js';

/** Properties of what is made of a page beyond its text: PDF, main content, extracted fields, language. */
export const contentProperties = {
  'parser.worker.memory': int(
    384,
    'Memory of the process that reads PDFs and document trees. A page that takes more fails.',
    { min: 192, max: 16_384, unit: 'MB' },
  ),
  'parser.pdf.pages': int(1_000, 'Pages of a PDF that are read.', { min: 1, max: 100_000 }),
};
