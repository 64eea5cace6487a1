/** The work that is done in the capped process, by name: what goes in and what comes out. Values only, no functions. */
import type { DocumentInput, DocumentYield } from '../../core/document/read-document.js';
import type { PdfInput, PdfPage } from '../../core/pdf/read-pdf.js';

export interface CappedTasks {
  /** Text, links and metadata of a PDF. */
  pdf: { input: PdfInput; output: PdfPage };
  /** Of a page of HTML: values that rules pick, main content, Markdown. */
  document: { input: DocumentInput; output: DocumentYield };
}

export type CappedTask = keyof CappedTasks;

/** What the process is asked. */
export interface CappedQuestion {
  readonly task: string;
  readonly input: unknown;
}

/** What it says: that the page is begun (what the task needs is loaded), and then how it ended. */
export type CappedAnswer = { began: true } | { output: unknown } | { error: string };
