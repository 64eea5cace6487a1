/** Entry point of the capped process. The code of each task is loaded on first use. */
import type { CappedTask, CappedTasks } from './capped-tasks.js';
import type { ReadDocument } from '../../core/html-document/read-document.js';
import { serveParent } from './capped-server.js';

/** It keeps the last page. */
let readDocument: ReadDocument | undefined;

type Tasks = {
  [T in CappedTask]: () => Promise<(input: CappedTasks[T]['input']) => Promise<CappedTasks[T]['output']>>;
};

const tasks: Tasks = {
  pdf: async () => (await import('../../core/pdf/read-pdf.js')).readPdf,
  document: async () =>
    (readDocument ??= (await import('../../core/html-document/read-document.js')).makeDocumentReader()),
};

serveParent(tasks);
