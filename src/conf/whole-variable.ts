import { StartError } from '../core/start-error.js';

/** The value of a variable that is a whole number. @throws StartError `environment` */
export function whole(
  name: string,
  text: string | undefined,
  range: { min: number; max: number; otherwise: number },
): number {
  if (text === undefined) return range.otherwise;
  const value = /^\d{1,9}$/.test(text) ? Number(text) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw new StartError('environment', `${name}="${text}" is not a whole number from ${range.min} to ${range.max}`);
}
