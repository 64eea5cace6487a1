const NEEDED = ['PATH', 'HOME', 'TMPDIR', 'NODE_COMPILE_CACHE'];

/** The variables that a program started by a test needs of ours: all of them would bring settings of the developer's shell. */
export const inherited = (): Record<string, string> =>
  Object.fromEntries(NEEDED.flatMap((name) => (process.env[name] ? [[name, process.env[name]]] : [])));
