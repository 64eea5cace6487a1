import ts from 'typescript';
import { defineConfig, type Plugin } from 'vitest/config';
import compiler from './tsconfig.json' with { type: 'json' };

/** Nest needs the design:paramtypes metadata, which Vite's own transformer does not emit: TypeScript itself does. */
const typescript: Plugin = {
  name: 'typescript',
  enforce: 'pre',
  transform(code, id) {
    if (!id.endsWith('.ts') || id.includes('/node_modules/')) return null;
    const { outputText, sourceMapText } = ts.transpileModule(code, {
      fileName: id,
      compilerOptions: {
        ...ts.convertCompilerOptionsFromJson(compiler.compilerOptions, '.').options,
        module: ts.ModuleKind.ESNext,
        moduleResolution: ts.ModuleResolutionKind.Bundler,
        incremental: false,
        sourceMap: true,
      },
    });
    return { code: outputText, map: sourceMapText ?? null };
  },
};

export default defineConfig({
  plugins: [typescript],
  test: {
    include: ['test/**/*.spec.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    pool: 'forks',
    maxWorkers: 2,
  },
});
