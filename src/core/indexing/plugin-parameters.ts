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

/** The form of parameters in one text, which may be empty. */
export const PARAMETERS_SHAPE = /^(?:[^&=]+=[^&]*(?:&[^&=]+=[^&]*)*)?$/;

/** Reads `name=value&name=value` (Nutch `-params`); `%26` is `&` in a value. */
export const parametersIn = (text: string): Record<string, string> =>
  Object.fromEntries(
    text
      .split('&')
      .filter(Boolean)
      .map((pair): [name: string, value: string] => {
        const at = pair.indexOf('=');
        return [pair.slice(0, at), pair.slice(at + 1).replaceAll('%26', '&')];
      }),
  );
