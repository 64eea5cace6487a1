/** Masks that are shown for the secrets of a configuration, or of the arguments of a job. */
import { MASK, isSecret, propertyOf } from '../core/conf/properties.js';
import { maskedUserInfo } from '../core/url/url-credentials.js';

/** Whether a property is shown as a mask: it is a secret, or one of another program with the user info of a URL in it. */
export const isShownMasked = (name: string, text: string): boolean =>
  text !== '' && (isSecret(name) || (propertyOf(name) === undefined && maskedUserInfo(text, MASK) !== text));

/** Whether a value is the mask that is shown for a secret, and not the secret. */
export const isMask = (name: string, value: unknown): boolean =>
  value === MASK && (isSecret(name) || propertyOf(name) === undefined);

/** The argument of INDEX whose text has parameters of its writers: `name=value&name=value`. */
const PARAMETERS = 'params';

/** Values with secrets and the user info of URLs masked, including those of nested objects and of parameters of writers. */
export function masked(values: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const shown = (value: unknown): unknown => {
    if (typeof value === 'string') return maskedUserInfo(value, MASK);
    if (Array.isArray(value)) return value.map(shown);
    return typeof value === 'object' && value !== null ? masked(value as Record<string, unknown>) : value;
  };
  const shownAs = (name: string, value: unknown): unknown => {
    if (isSecret(name)) return MASK;
    return name === PARAMETERS && typeof value === 'string' ? shown(maskedParameters(value)) : shown(value);
  };
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, shownAs(name, value)]));
}

const maskedParameters = (text: string): string =>
  text
    .split('&')
    .map((pair) => {
      const [name = '', value] = pair.split('=', 2);
      return value !== undefined && isSecret(name) ? `${name}=${MASK}` : pair;
    })
    .join('&');
