import { ID_SHAPE_OR_EMPTY, ID_WORDS } from '../id-shape.js';
import { text, type Property } from './property.js';

const SECRET_WORDS = 'auth, cookies, credentials, passwords or secrets';
const SECRET_SHAPE = /(?:^|[._-])(?:auth|cookies?|credentials?|passwords?|secrets?)(?:[._-]|$)/i;

/**
 * Whether a rule file, by its name, contains secrets. Then it is never shown, and only a property whose rules are secret
 * accepts it: any other would show its lines, as rules that decide or cannot be used.
 */
export const isSecretFile = (name: string): boolean => SECRET_SHAPE.test(name);

/** Why a property may not use a file; undefined if it may. */
export function refusedName(name: string, takesSecrets: boolean): string | undefined {
  if (isSecretFile(name) === takesSecrets) return undefined;
  return takesSecrets
    ? `a file of secrets has one of the words ${SECRET_WORDS} in its name, apart from others`
    : 'by its name it holds secrets, which this property would show';
}

/** A property that names a rule file. `shipped`, while no file of that name is stored, means the shipped rules. */
export const ruleFile = (shipped: string, sentence: string): Property<string> =>
  text(
    shipped,
    `${sentence} A file stored with PUT /v1/rule-files/{name}${shipped === '' ? '' : `; without one, ${shipped} means the shipped rules`}.`,
    ID_SHAPE_OR_EMPTY,
    `the name of a rule file (${ID_WORDS}) or nothing`,
  );
