import { spawnSync } from 'node:child_process';

/** Mounts that one process sees, and its children, in a namespace of Linux. They end with it. */

type Words = readonly [string, ...string[]];

const ENTER: Words = ['unshare', ...(process.getuid?.() === 0 ? [] : ['--map-root-user']), '--mount'];

/** The words before a command, which then runs after the commands of the shell. */
const after = (commands: string): Words => [...ENTER, 'sh', '-ec', `${commands}; exec "$@"`, 'sh'];

/** The words before a command for which a folder is read-only. */
export const withReadOnly = (folder: string): Words =>
  after(`mount --bind "${folder}" "${folder}"; mount -o remount,ro,bind "${folder}"`);

/** The words before a command for which an existing folder is an empty disk of so many KiB. */
export const withSmallDisk = (folder: string, kib: number): Words =>
  after(`mount -t tmpfs -o size=${kib}k tmpfs "${folder}"`);

const [command, ...words] = withReadOnly('/tmp');

/** Whether this system lets this user have mounts of its own. */
export const canMount = spawnSync(command, [...words, 'true']).status === 0;
