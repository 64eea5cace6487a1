import { text, type Property } from './property.js';

/** Names of rule files: as other ids. */
export const ruleFileShape = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const shapeOrNone = /^(?:[A-Za-z0-9][A-Za-z0-9._-]{0,127})?$/;

/** A property that names a rule file. `shipped`, while no file of that name is stored, means the shipped rules. */
export const ruleFile = (shipped: string, sentence: string): Property<string> =>
  text(
    shipped,
    `${sentence} A file stored with PUT /v1/rule-files/{name}${shipped === '' ? '' : `; without one, ${shipped} means the shipped rules`}.`,
    shapeOrNone,
    'the name of a rule file (1 to 128 letters, digits, dots, dashes or underscores, a letter or digit first) or nothing',
  );
