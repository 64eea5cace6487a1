/** The document of a page, as indexing filters make it and writers send it (Nutch `NutchDocument`). */
export type FieldValue = string | number | boolean | Date;

export interface IndexDocument {
  /** The document's id: the page's key (reversed host), so that a repeat replaces. */
  readonly id: string;
  readonly url: string;
  /** The weight of the whole document; 1 is neutral. */
  boost: number;
  /** ISO 639 code of the language that the page says it is in; no field, as only some writers read texts. */
  readonly language?: string;
  /** Values by field name, each in order. */
  readonly fields: Map<string, FieldValue[]>;
  /** Weights of single fields; 1 where none stands. */
  readonly fieldBoosts: Map<string, number>;
}
