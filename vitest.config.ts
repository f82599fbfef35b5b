import { defineConfig } from 'vitest/config';

/**
 * Long proofs: crash and chaos runs, special settings, every bundle in isolation, tests that wait or bundle. `npm run
 * test:full` runs them and the project `conformance`, and all routes and generated requests instead of the sample
 * (`test/support/sample.ts`).
 */
const full = 'test/**/*.full.test.ts';

/**
 * Files that share their process: one server (`sharedDirectory` in `test/support/with-directory.ts`), and one synthesis per
 * configuration (`synthesize` in `test/infra/synthesized.ts`).
 */
const shared = ['test/http/!(unit)/!(*.own-server).test.ts', 'test/infra/*.test.ts'];

const common = {
  pool: 'forks',
  // Processes are reused: starting one and loading the installed packages takes longer than most files do.
  isolate: false,
  // A test fails when something does not happen, not when a busy machine does it late.
  testTimeout: 120_000,
  hookTimeout: 120_000,
  // A forgotten await must not let a run pass.
  dangerouslyIgnoreUnhandledErrors: false,
  restoreMocks: true,
  unstubEnvs: true,
} as const;

/** Every file has its own instances of this project's modules, and the original environment. */
const separate = { ...common, setupFiles: ['test/support/reset-process.ts'] };

export default defineConfig({
  test: {
    // One more than the cores of a small machine, because tests also wait.
    maxWorkers: 3,
    globalSetup: ['test/support/run-folder.ts', 'test/support/built-console.ts'],
    projects: [
      { test: { ...common, name: 'shared', include: shared, exclude: [full] } },
      {
        test: {
          ...separate,
          name: 'separate',
          include: ['test/**/*.test.ts'],
          exclude: [full, 'test/console/**', 'test/conformance/**', ...shared],
        },
      },
      {
        test: {
          ...common,
          name: 'console',
          maxWorkers: 2,
          sequence: { groupOrder: 1 },
          include: ['test/console/*.test.ts'],
          exclude: [full],
        },
      },
      { test: { ...separate, name: 'conformance', include: ['test/conformance/**/*.test.ts'] } },
      { test: { ...separate, name: 'full', include: [full], testTimeout: 900_000, hookTimeout: 900_000 } },
    ],
  },
});
