import { spawnSync } from 'node:child_process';

/** Mounts that one process sees, and its children, in a namespace of Linux. They end with it. */

const ENTER = ['unshare', process.getuid?.() === 0 ? '--mount' : '--map-root-user', '--mount'] as const;

/** Whether this system lets this user have mounts of its own. */
export const canMount = spawnSync(ENTER[0], [...ENTER.slice(1), 'true']).status === 0;

type Words = readonly [string, ...string[]];

/** The words before a command, which then runs after the commands of the shell. */
const after = (commands: string): Words => [...ENTER, 'sh', '-ec', `${commands}; exec "$@"`, 'sh'];

/** The words before a command for which a folder is read-only. */
export const withReadOnly = (folder: string): Words =>
  after(`mount --bind "${folder}" "${folder}"; mount -o remount,ro,bind "${folder}"`);

/** The words before a command for which an existing folder is an empty disk of so many KiB. */
export const withSmallDisk = (folder: string, kib: number): Words =>
  after(`mount -t tmpfs -o size=${kib}k tmpfs "${folder}"`);
