/** Bundler plugins for what a process need not load at its start. The figures are in docs/adr/0026-modules-joined.md. */

const NODE_HTTP = '\0node:http';
export const isNodeHttp = (id) => /^(?:node:)?http$/.test(id);

/**
 * Modules take node:http from `process.getBuiltinModule`. Node reads all names of a module of its own that an ES module imports, and
 * three names of this one, such as WebSocket, load Node's copy of undici.
 */
export const nodeHttp = {
  name: 'node-http',
  resolveId: (id) => (isNodeHttp(id) ? NODE_HTTP : null),
  load: (id) => (id === NODE_HTTP ? `module.exports = process.getBuiltinModule('node:http');` : null),
};

const STEMMER = '\0stemmer:';
export const isStemmer = (id) => id.startsWith('@orama/stemmers/');

/** Stemmers consist of tables: each is loaded at the first word of its language. */
export const stemmers = {
  name: 'stemmers',
  resolveId: (id) => (isStemmer(id) ? STEMMER + id : null),
  load: (id) =>
    id.startsWith(STEMMER)
      ? `import { createRequire } from 'node:module';
         const require = createRequire(import.meta.url);
         let stem;
         export const stemmer = (word) => (stem ??= require('${id.slice(STEMMER.length)}').stemmer)(word);`
      : null,
};
