import { readFileSync, writeFileSync } from 'node:fs';

const HELP = `Completes package-lock.json with the builds for other platforms.

  npm run lock        after every \`npm install\`

npm leaves a platform's build out of the lock when the registry that was asked does not have it, and \`npm ci\` then refuses the
whole lock, on every platform. This adds what is named by some package's optionalDependencies and missing: version and platform, so
that npm passes over it where it does not fit.
`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'windows'];
const PROCESSORS = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x'];

/** What `linux-x64-musl` in a package's name says of the platform that it is for. */
const platformOf = (name) => {
  const words = name.split('/').at(-1).split('-');
  const os = words.find((word) => SYSTEMS.includes(word));
  const cpu = words.find((word) => PROCESSORS.includes(word));
  const libc = words.some((word) => word.startsWith('musl'))
    ? 'musl'
    : words.some((word) => word.startsWith('gnu'))
      ? 'glibc'
      : undefined;
  return os && cpu
    ? { os: [os === 'windows' ? 'win32' : os], cpu: [cpu], ...(libc && os === 'linux' && { libc: [libc] }) }
    : undefined;
};

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));
const added = [];
for (const entry of Object.values(lock.packages)) {
  for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
    const platform = platformOf(name);
    if (!platform || lock.packages[`node_modules/${name}`]) continue;
    lock.packages[`node_modules/${name}`] = { version, ...platform, ...(entry.dev && { dev: true }), optional: true };
    added.push(name);
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'The lock is complete.' : `Added ${added.length} builds for other platforms.`);
