import { nearestHint, unknownNameSentences } from './notice.js';

/**
 * What the header `Orbweaver-Notice` says about arguments without effect.
 * @param reader the job type, or the type of a query, that has the `known` arguments
 */
export const unknownArgNotices = (reader: string, names: readonly string[], known: readonly string[]): string[] =>
  unknownNameSentences(
    'argument',
    names,
    (name) => `Argument ${name} is not known to ${reader} and changes nothing${nearestHint(name, known)}.`,
  );
