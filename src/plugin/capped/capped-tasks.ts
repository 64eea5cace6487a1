/** The tasks of the capped process, by name, with input and output: plain values, no functions. */
import type { DocumentInput, DocumentResult } from '../../core/html-document/read-document.js';
import type { PdfInput, PdfPage } from '../../core/pdf/read-pdf.js';

export interface CappedTasks {
  /** Text, links and metadata of a PDF. */
  pdf: { input: PdfInput; output: PdfPage };
  /** Extracted values, main content and Markdown of an HTML page. */
  document: { input: DocumentInput; output: DocumentResult };
}

export type CappedTask = keyof CappedTasks;

/** A message to the process. */
export interface CappedQuestion {
  readonly task: string;
  readonly input: unknown;
}

/** A message from the process: that work on the page has begun (the task is loaded), and then its result. */
export type CappedAnswer = { began: true } | { output: unknown } | { error: string };
