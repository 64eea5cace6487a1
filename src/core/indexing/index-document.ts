/** The document of a page, which indexing filters build and writers send (Nutch `NutchDocument`). */
export type FieldValue = string | number | boolean | Date;

export interface IndexDocument {
  /** The row key of the page, so that a document sent again replaces the older one. */
  readonly id: string;
  readonly url: string;
  /** The weight of the whole document; 1 is neutral. */
  boost: number;
  /** ISO 639 code of the language that the page declares; not a field, as only some writers use it. */
  readonly language?: string;
  /** Values by field name, each in order. */
  readonly fields: Map<string, FieldValue[]>;
  /** Weights of single fields; 1 where absent. */
  readonly fieldBoosts: Map<string, number>;
}
