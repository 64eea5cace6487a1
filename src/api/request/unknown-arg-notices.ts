import { nearestName } from '../../core/conf/nearest-name.js';

/** Maximum number of arguments that are named: each is compared with all known ones. */
const MAX_NAMED_ARGS = 20;

/**
 * What the header `Orbweaver-Notice` says about arguments without effect.
 * @param reader the job type, or the type of a query, that has the `known` arguments
 */
export function unknownArgNotices(reader: string, names: readonly string[], known: readonly string[]): string[] {
  const sentences = names.slice(0, MAX_NAMED_ARGS).map((name) => {
    const nearest = nearestName(name, known);
    const hint = nearest === null ? '' : `; the nearest is ${nearest}`;
    return `Argument ${name} is not known to ${reader} and changes nothing${hint}.`;
  });
  const more = names.length - MAX_NAMED_ARGS;
  return more > 0 ? [...sentences, `Further unknown arguments: ${more}.`] : sentences;
}
