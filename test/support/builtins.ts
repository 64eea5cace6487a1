import { syncBuiltinESMExports } from 'node:module';
import { afterAll } from 'vitest';

/**
 * Puts functions instead of those of one of Node's own modules, given by its default export: whoever imports them by name
 * sees the new ones until the spec file ends. For the top of a spec file.
 */
export function replaceBuiltin<M extends object>(module: M, functions: { [K in keyof M]?: unknown }): void {
  const before = Object.fromEntries(Object.keys(functions).map((name) => [name, module[name as keyof M]]));
  const put = (all: object): void => {
    Object.assign(module, all);
    syncBuiltinESMExports();
  };
  put(functions);
  afterAll(() => put(before));
}
