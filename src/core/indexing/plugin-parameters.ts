import type { ConfXml } from '../xml/conf-xml.js';

/** Entries of one kind of a writer or exchange: parameters, fields, names of writers. */
export const MAX_ENTRIES = 1_000;

/** Adds the parameter that an element `param` names. @throws RuleError if it has no name, or there are too many */
export function addParameter(
  parameters: Record<string, string>,
  { name = '', value = '' }: Readonly<Record<string, string>>,
  file: ConfXml,
): void {
  if (name === '') file.refuse('a param needs a name');
  if (Object.keys(parameters).length >= MAX_ENTRIES) file.refuse(`more than ${MAX_ENTRIES} parameters`);
  // Whatever its name is, such as __proto__.
  Object.defineProperty(parameters, name, { value, enumerable: true, configurable: true, writable: true });
}
