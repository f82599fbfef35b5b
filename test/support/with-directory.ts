import { afterAll, beforeAll } from 'vitest';
import { Directory } from './fixtures.ts';
import { startTestWorld, type TestWorld } from './world.ts';

/** What the tests of a file find there. */
export interface Opened {
  readonly world: TestWorld;
  readonly directory: Directory;
}

/**
 * Gives the tests of this file a world of their own with a directory in it, and takes it away after the last one, also
 * when it could not be furnished.
 * @param furnish keeps what it is given and adds what the tests share.
 */
export const withDirectory = (
  furnish: (opened: Opened) => Promise<void> | void,
  options: Parameters<typeof startTestWorld>[0] = {},
): void => {
  let world: TestWorld | undefined;

  beforeAll(async () => {
    world = await startTestWorld(options);
    await furnish({ world, directory: await Directory.open(world) });
  });

  afterAll(async () => {
    await world?.stop();
  });
};
