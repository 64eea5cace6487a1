import { readFileSync } from 'node:fs';
import { parse } from 'yaml';
import { type Params, parseConf } from './properties.js';

const MAX_FILE_LENGTH = 4_194_304;

/**
 * Reads CONF_FILE: one JSON or YAML object of property names and values.
 * Throws an Error with one clear line if the file cannot be read, is no such object or has a value that is not allowed.
 */
export function readConfFile(path: string): Params {
  const params = readObject(path);
  const [problem] = parseConf(params).problems;
  if (problem) {
    throw new Error(
      `CONF_FILE ${path}: property ${problem.property} cannot be ${JSON.stringify(problem.given)}: it takes ${problem.allowed}.`,
    );
  }
  return params;
}

function readObject(path: string): Params {
  let content: unknown;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length > MAX_FILE_LENGTH) throw new Error(`it is larger than ${MAX_FILE_LENGTH} characters`);
    // Every JSON text is YAML 1.2 as well. Aliases are off: a few lines of them can expand to gigabytes.
    content = parse(text, { maxAliasCount: 0, prettyErrors: false });
  } catch (error) {
    throw new Error(`CONF_FILE ${path} cannot be read: ${(error as Error).message.split('\n')[0]}`, { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error(`CONF_FILE ${path} must be one object of property names and values.`);
  }
  return content as Params;
}
