import { syncBuiltinESMExports } from 'node:module';

/**
 * Puts functions instead of those of one of Node's own modules, given by its default export: whoever imports them by name
 * sees the new ones from now on. For the whole process, which is that of one spec file.
 */
export function replaceBuiltin<M extends object>(module: M, functions: { [K in keyof M]?: unknown }): void {
  Object.assign(module, functions);
  syncBuiltinESMExports();
}
