/** Entry of the capped process. Each task with what it needs, loaded when it is first asked for. */
import type { CappedTask, CappedTasks } from './capped-tasks.js';
import { serve } from './capped-server.js';

type Tasks = {
  [T in CappedTask]: () => Promise<(input: CappedTasks[T]['input']) => Promise<CappedTasks[T]['output']>>;
};

const tasks: Tasks = {
  pdf: async () => (await import('../../core/pdf/read-pdf.js')).readPdf,
  document: async () => (await import('../../core/document/read-document.js')).readDocument,
};

serve(tasks);
