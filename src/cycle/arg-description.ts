/**
 * Descriptions of job arguments for clients. The texts are next to the arguments; only the API builds a document from
 * them (api/job/args-by-type.ts), so that workers load nothing for documents.
 */

export interface Description {
  readonly description: string;
  readonly example?: unknown;
  readonly type?: [typeof String] | 'integer';
  readonly enum?: readonly string[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
}

export interface DescribedArg {
  /** Of the class of arguments. */
  readonly prototype: object;
  readonly name: string | symbol;
  readonly description: Description;
}

export const describedArgs: DescribedArg[] = [];

/** Describes an optional argument. */
export const Described =
  (description: Description): PropertyDecorator =>
  (prototype, name) =>
    void describedArgs.push({ prototype, name, description });
