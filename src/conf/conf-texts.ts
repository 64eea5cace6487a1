/** The values of a configuration as the texts that are stored and shown. */
import { storable } from '../db/sql.js';
import {
  type ConfProblem,
  type Params,
  asText,
  problemOf,
  propertyNames,
  propertyOf,
} from '../core/conf/properties.js';
import { refusedNames } from '../core/json-text.js';

const MAX_NAME_LENGTH = 256;
const NAME_SHAPE = /^[^\p{Cc}\p{Cs}\s]+$/u;

/** Why one property of a configuration was refused. */
export interface RefusedProperty {
  readonly property: string;
  readonly message: string;
}

/** A configuration was refused, and not stored. */
export class ConfRefused extends Error {
  constructor(
    message: string,
    readonly refused: readonly RefusedProperty[] = [],
  ) {
    super(message);
  }
}

/** The refusal of values that their properties do not allow. */
export const valuesRefused = (problems: readonly ConfProblem[]): ConfRefused =>
  new ConfRefused(
    problems.map(sentenceOf).join(' '),
    problems.map(({ property, allowed }) => ({ property, message: `takes ${allowed}` })),
  );

const sentenceOf = ({ property, given, allowed }: ConfProblem) =>
  `Property ${property} cannot be ${given}: it takes ${allowed}.`;

/** Every property's text, unknown ones included, before references are expanded. */
export function effectiveTexts(params: Params): Map<string, string> {
  const texts = new Map<string, string>();
  for (const name of propertyNames) texts.set(name, propertyOf(name)?.defaultText ?? '');
  for (const [name, value] of Object.entries(params)) texts.set(name, asText(name, value));
  return texts;
}

/** Values as text that PostgreSQL can store, in an object without a prototype. Throws ConfRefused for bad names. */
export function textParams(params: Params): Record<string, string> {
  const texts: Record<string, string> = Object.create(null);
  for (const [name, value] of Object.entries(params)) {
    if (refusedNames.has(name) || name.length > MAX_NAME_LENGTH || !NAME_SHAPE.test(name)) {
      const allowed = refusedNames.has(name)
        ? `it must not be one of ${[...refusedNames].join(', ')}`
        : `1 to ${MAX_NAME_LENGTH} characters without spaces`;
      const shown = name.slice(0, 100);
      const message = `cannot name a property: ${allowed}`;
      throw new ConfRefused(`${JSON.stringify(shown)} ${message}.`, [{ property: shown, message }]);
    }
    if (propertyOf(name) !== undefined && (value === null || (typeof value === 'object' && !Array.isArray(value)))) {
      throw valuesRefused([problemOf(name, value)]);
    }
    texts[name] = storable(asText(name, value));
  }
  return texts;
}
