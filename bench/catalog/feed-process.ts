import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

/** Output of feed-server.ts. */
export interface Feed {
  readonly port: number;
  readonly pages: number;
  readonly cards: number;
  readonly cardBytes: number;
  readonly counts: number;
  readonly countsBytes: number;
  readonly feedBytes: number;
}

const here = (file: string): string => fileURLToPath(new URL(file, import.meta.url));

export const replicaScript = here('growth-replica.ts');

/** The environment of a replica that reads this feed. */
export const replicaEnvironment = ({ port }: Feed): NodeJS.ProcessEnv => ({
  ...process.env,
  TABLE_NAME: 'directory',
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'local',
  AWS_SECRET_ACCESS_KEY: 'local',
  AWS_ENDPOINT_URL_DYNAMODB: `http://127.0.0.1:${port}`,
  LOG_LEVEL: 'ERROR',
});

/** Starts a process that serves the feed of a generated directory. */
export const startFeed = async (
  listings: number,
  seed: string,
): Promise<{ readonly feed: Feed; readonly stop: () => Promise<void> }> => {
  const args = ['--max-old-space-size=8000', here('feed-server.ts'), '--listings', String(listings), '--seed', seed];
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] });
  const stop = async (): Promise<void> => {
    const ended = once(child, 'exit');
    child.stdin.end();
    await ended;
  };
  for await (const line of createInterface({ input: child.stdout })) {
    return { feed: JSON.parse(line) as Feed, stop };
  }
  throw new Error('The feed did not start.');
};
