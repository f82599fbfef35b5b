import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';

const HELP = `Completes package-lock.json with the builds for other platforms.

  npm run lock        after every \`npm install\`

npm omits the build for a platform from the lock when the registry does not have it, and \`npm ci\` then rejects the lock on every
platform. This adds the missing entries of optionalDependencies with version and platform, so that npm skips them elsewhere. It
records the integrity of each entry that has none, and names those whose integrity the registry does not tell: npm installs these
unverified on their platform.
`;

if (process.argv.includes('--help')) {
  console.log(HELP);
  process.exit(0);
}

const SYSTEMS = ['android', 'darwin', 'freebsd', 'linux', 'openharmony', 'win32', 'windows'];
const ARCHITECTURES = ['arm64', 'arm', 'x64', 'ia32', 'ppc64', 'riscv64', 's390x'];

/** The platform in a package name such as `@scope/tool-linux-x64-musl`; undefined when it names none. */
const platformOf = (name) => {
  const parts = name.split('/').at(-1).split('-');
  const os = parts.find((part) => SYSTEMS.includes(part));
  const cpu = parts.find((part) => ARCHITECTURES.includes(part));
  const libc = parts.some((part) => part.startsWith('musl'))
    ? 'musl'
    : parts.some((part) => part.startsWith('gnu'))
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
/** @returns the integrity in the registry; undefined when it does not have the version. */
const integrityOf = (name, version) => {
  try {
    const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
    const options = { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'], shell: process.platform === 'win32' };
    return execFileSync(npm, ['view', `${name}@${version}`, 'dist.integrity'], options).trim() || undefined;
  } catch {
    // npm fails for a version that the registry does not have.
    return undefined;
  }
};

const unverified = [];
for (const [path, entry] of Object.entries(lock.packages)) {
  if (path === '' || entry.inBundle || entry.link || entry.integrity) continue;
  const integrity = integrityOf(path.replace(/^.*node_modules\//, ''), entry.version);
  if (integrity) entry.integrity = integrity;
  else unverified.push(path);
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(added.length === 0 ? 'The lock is complete.' : `Added ${added.length} builds for other platforms.`);
if (unverified.length > 0) {
  console.log(`Without integrity, because this registry does not have them:\n  ${unverified.join('\n  ')}`);
}
