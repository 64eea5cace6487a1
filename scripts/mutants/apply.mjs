/** Functions on a list of faults, for the program and its house test. */

/** @returns {string} the source with the fault; throws unless its text occurs exactly once */
export function applied({ id, file, text, replacement }, source) {
  const times = source.split(text).length - 1;
  if (times !== 1) throw new Error(`${id}: its text stands ${times} times in ${file}`);
  if (text === replacement) throw new Error(`${id}: changes nothing`);
  return source.replace(text, () => replacement);
}

/** The faults whose ids are in `only`, or begin with one of them, in files whose paths begin with `file`. */
export function chosen(faults, { only, file }) {
  const isNamed = (id) =>
    only.length === 0 || only.some((name) => id === name || (name.endsWith('-') && id.startsWith(name)));
  return faults.filter((fault) => isNamed(fault.id) && fault.file.startsWith(file));
}
