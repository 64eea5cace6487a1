/**
 * The rules of files, as values of a configuration (rule-file-pairs.ts pairs properties and files).
 *
 * A value in an array is not expanded: `${name}` in a file is part of a rule, whatever it means elsewhere.
 */
import { type Conf, type Params, type PropertyName, parseConf, propertyOf } from './properties.js';
import { PropertyRefused } from './property-refused.js';
import { refusedName } from './rule-file-name.js';
import { type RuleFilePair, ruleFilePairs } from './rule-file-pairs.js';

/** Characters of all files of one configuration together. */
const MAX_CHARACTERS = 16_777_216;

/** The files that a configuration names and whose rules are not given inline. */
export function wantedFiles(conf: Conf): RuleFilePair[] {
  return ruleFilePairs.filter(({ file, rules }) => conf[file] !== '' && conf[rules] === propertyOf(rules)?.default);
}

/** The file of some rules, and the property that names it. */
export interface RuleSource {
  readonly file: PropertyName;
  readonly name: string;
}

/** Values from files; `sources` names the file of each property. */
export interface FileValues {
  readonly values: Params;
  readonly sources: ReadonlyMap<string, RuleSource>;
}

/**
 * The rules of the files that a configuration names.
 * @param stored contents of those of its files that are stored, by name
 * @throws PropertyRefused with a sentence for a file that is not stored, and for files that are too large together
 */
export function fileValues(conf: Conf, stored: ReadonlyMap<string, string>): FileValues {
  const values: Record<string, string[]> = {};
  const sources = new Map<string, RuleSource>();
  let characters = 0;
  for (const { file, rules } of wantedFiles(conf)) {
    const name = String(conf[file]);
    const content = stored.get(name);
    if (content === undefined && name !== propertyOf(file)?.default) throw notStored(file, name);
    if (content === undefined) continue;
    const refused = refusedName(name, propertyOf(rules)?.secret === true);
    if (refused !== undefined)
      throw new PropertyRefused(file, `Property ${file} cannot take the rule file "${name}": ${refused}.`);
    characters += content.length;
    if (characters > MAX_CHARACTERS) {
      throw new PropertyRefused(
        file,
        `The rule files of a configuration may have ${MAX_CHARACTERS} characters together: ${file} is over.`,
      );
    }
    values[rules] = [content];
    sources.set(rules, { file, name });
  }
  return { values, sources };
}

function notStored(file: PropertyName, name: string): PropertyRefused {
  const shipped = propertyOf(file)?.default;
  const orShipped = shipped === '' ? '' : ` ${String(shipped)} means the shipped rules.`;
  return new PropertyRefused(
    file,
    `Property ${file} names the rule file "${name}", which is not stored: PUT /v1/rule-files/${name} first.${orShipped}`,
  );
}

/** A configuration with its values overridden by those of files. */
export function withValues(params: Params, base: Params, { values }: FileValues): Conf {
  return parseConf({ ...params, ...values }, base).conf;
}
