import { execFile } from 'node:child_process';
import { parseArgs, promisify } from 'node:util';
import { replicaEnvironment, replicaScript, startFeed } from './feed-process.ts';

const HELP = `Measures how many listings a function holds in its catalog, by its memory.

  node bench/catalog/capacity.ts [--memory 512,1024,1769] [--sizes 50000,100000,200000,400000,600000] [--seed 1]

Each process may use nine tenths of the memory of a function for its heap. It loads the catalog from the feed, which takes more than a
snapshot, runs the queries of a list page and encodes every listing. It holds a size when it ends, and its largest resident
set is not above the memory. The largest size takes some minutes and 3 GB beside the measured process.`;

const { values } = parseArgs({
  options: {
    help: { type: 'boolean', default: false },
    memory: { type: 'string', default: '512,1024,1769' },
    sizes: { type: 'string', default: '50000,100000,200000,400000,600000' },
    seed: { type: 'string', default: '1' },
  },
});

const MB = 1024 * 1024;
const HEAP_SHARE = 0.9;

const numbers = (list: string): number[] => list.split(',').map(Number);

/** The largest resident set in MB; undefined when the memory did not suffice. */
const residentMb = async (memoryMb: number, env: NodeJS.ProcessEnv): Promise<number | undefined> => {
  const flags = [`--max-old-space-size=${Math.floor(memoryMb * HEAP_SHARE)}`, '--max-semi-space-size=16'];
  try {
    const { stdout } = await promisify(execFile)(process.execPath, [...flags, replicaScript, '--encode'], { env });
    return (JSON.parse(stdout) as { highestBytes: number }).highestBytes / MB;
  } catch (error) {
    if (String((error as { stderr?: unknown }).stderr).includes('heap out of memory')) return undefined;
    throw error;
  }
};

if (values.help) {
  console.log(HELP);
} else {
  const memories = numbers(values.memory);
  console.log(`${'listings'.padEnd(12)}${memories.map((memory) => `${memory} MB`.padStart(20)).join('')}`);
  for (const size of numbers(values.sizes)) {
    const { feed, stop } = await startFeed(size, values.seed);
    const cells: string[] = [];
    for (const memory of memories) {
      const resident = await residentMb(memory, replicaEnvironment(feed));
      const isHeld = resident !== undefined && resident <= memory;
      cells.push(`${isHeld ? 'holds' : 'too small'}${resident === undefined ? '' : ` (${Math.round(resident)} MB)`}`);
    }
    await stop();
    console.log(`${String(size).padEnd(12)}${cells.map((cell) => cell.padStart(20)).join('')}`);
  }
}
