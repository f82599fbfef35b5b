import { vi } from 'vitest';

// A test file runs in a process that has run other files. It starts with new instances of this project's modules, so that it can
// start a server with other settings, and with the environment that the process was started with. Installed packages stay loaded.

// Stubs of the last test of another file: Vitest restores them before the next test, which is one of this file.
vi.unstubAllEnvs();
vi.restoreAllMocks();

const STARTED_WITH = Symbol.for('directory.test.environment');
const holder = globalThis as { [STARTED_WITH]?: NodeJS.ProcessEnv };

holder[STARTED_WITH] ??= { ...process.env };
const environment = holder[STARTED_WITH];
for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
Object.assign(process.env, environment);

vi.useRealTimers();
vi.resetModules();
