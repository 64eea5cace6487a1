import { readFileSync } from 'node:fs';
import { parseDocument } from 'yaml';
import { noticeOn, type Params, parseConf } from '../core/conf/properties.js';

const MAX_FILE_LENGTH = 4_194_304;
const MAX_NOTICES = 20;

/**
 * Reads CONF_FILE: one JSON or YAML object of property names and values.
 * Throws an Error with one clear line if the file cannot be read, is no such object or has a value that is not allowed.
 */
export function readConfFile(path: string): Params {
  const params = readObject(path);
  const [problem] = parseConf(params).problems;
  if (problem) {
    throw new Error(
      `CONF_FILE ${path}: property ${problem.property} cannot be ${problem.given}: it takes ${problem.allowed}.`,
    );
  }
  return params;
}

/** Sentences about properties of CONF_FILE that have no effect: most likely they are misspelt. */
export function confFileNotices(path: string, params: Params): string[] {
  const names = [...parseConf(params).unused];
  const more = names.splice(MAX_NOTICES).length;
  const rest = more > 0 ? [`Further properties without effect: ${more}.`] : [];
  return [...names.map(noticeOn), ...rest].map((sentence) => `CONF_FILE ${path}: ${sentence}`);
}

function readObject(path: string): Params {
  let content: unknown;
  try {
    const text = readFileSync(path, 'utf8');
    if (text.length > MAX_FILE_LENGTH) throw new Error(`it is larger than ${MAX_FILE_LENGTH} characters`);
    content = fromYaml(text);
  } catch (error) {
    const [line = ''] = (error as Error).message.split('\n');
    throw new Error(`CONF_FILE ${path} cannot be read: ${line.replace(/:$/, '')}`, { cause: error });
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content)) {
    throw new Error(`CONF_FILE ${path} must be one object of property names and values.`);
  }
  return content as Params;
}

/** Every JSON text is YAML 1.2 as well. @throws Error whose first line names line and column */
function fromYaml(text: string): unknown {
  const document = parseDocument(text, { logLevel: 'error' });
  const [problem] = [...document.errors, ...document.warnings];
  if (problem?.code === 'MULTIPLE_DOCS') throw new Error('it has more than one document');
  if (problem) throw problem;
  // Aliases are off: a few lines of them can expand to gigabytes.
  return document.toJS({ maxAliasCount: 0 }) as unknown;
}
