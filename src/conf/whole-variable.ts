import { StartError } from '../core/start-error.js';

/** The value of a variable that is a whole number. @throws StartError `environment` */
export function whole(
  name: string,
  given: string | undefined,
  range: { min: number; max: number; otherwise: number },
): number {
  if (given === undefined) return range.otherwise;
  const value = /^\d{1,9}$/.test(given) ? Number(given) : Number.NaN;
  if (value >= range.min && value <= range.max) return value;
  throw new StartError('environment', `${name}="${given}" is not a whole number from ${range.min} to ${range.max}`);
}
