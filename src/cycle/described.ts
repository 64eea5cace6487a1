/**
 * How the arguments of jobs are described to those who make jobs. The words stand beside the arguments; only the API makes a
 * document of them (api/job/args-of.ts), so that workers load nothing for documents.
 */

export interface Description {
  readonly description: string;
  readonly example?: unknown;
  readonly type?: [typeof String];
  readonly enum?: readonly string[];
}

export interface DescribedArg {
  /** The prototype of the class. */
  readonly of: object;
  readonly name: string | symbol;
  readonly description: Description;
}

export const describedArgs: DescribedArg[] = [];

/** Describes an argument that may be left out. */
export const Described =
  (description: Description): PropertyDecorator =>
  (of, name) =>
    void describedArgs.push({ of, name, description });
