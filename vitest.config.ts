import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { defineConfig, type Plugin } from 'vitest/config';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
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

/** What takes longest, most of it waiting: begun first, so that it does not stand alone at the end. */
const LONG = ['faults/', 'journey/', 'start/server', 'commands/', 'worker/', 'cycle/politeness', 'job/lease-store'];

class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const isLong = ({ moduleId }: TestSpecification) => LONG.some((part) => moduleId.includes(`/test/${part}`));
    const sorted = await super.sort(files);
    return [...sorted.filter(isLong), ...sorted.filter((file) => !isLong(file))];
  }
}

export default defineConfig({
  plugins: [typescript],
  test: {
    include: ['test/**/*.spec.ts'],
    globalSetup: ['test/support/global-setup.ts'],
    testTimeout: 30_000,
    hookTimeout: 60_000,
    // Programs that tests start load half a second sooner.
    env: { NODE_COMPILE_CACHE: fileURLToPath(new URL('node_modules/.cache/compile', import.meta.url)) },
    pool: 'forks',
    maxWorkers: 3,
    sequence: { sequencer: LongestFirst },
  },
});
