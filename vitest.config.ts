import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    pool: 'forks',
    isolate: true,
    maxWorkers: 2,
    testTimeout: 20_000,
    hookTimeout: 20_000,
    // A stray await must not let a suite end as if it had passed.
    dangerouslyIgnoreUnhandledErrors: false,
    restoreMocks: true,
    unstubEnvs: true,
  },
});
