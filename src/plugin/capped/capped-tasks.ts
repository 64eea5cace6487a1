/** The work that is done in the capped process, by name: what goes in and what comes out. Values only, no functions. */
import type { PdfInput, PdfPage } from '../../core/pdf/read-pdf.js';

export interface CappedTasks {
  /** Text, links and metadata of a PDF. */
  pdf: { input: PdfInput; output: PdfPage };
}

export type CappedTask = keyof CappedTasks;

/** What the process is asked. */
export interface CappedQuestion {
  readonly task: string;
  readonly input: unknown;
}

/** What it says: that the page is begun (what the task needs is loaded), and then how it ended. */
export type CappedAnswer = { began: true } | { output: unknown } | { error: string };
