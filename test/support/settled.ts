import type { ReceivedMail } from '#local/mail.ts';
import type { Client } from './client.ts';
import type { Directory, Person } from './fixtures.ts';
import type { TestWorld } from './world.ts';

/** Waits until everything that has happened so far has gone over the bus and has been dealt with. */
export const untilSettled = async (world: TestWorld, directory: Directory): Promise<void> => {
  // What is written last is also published last.
  const marker = await directory.submit(directory.admin);
  await world.until(async () => {
    const carried = world.world.bus.carried({ tasksToo: true, limit: 50 });
    return (
      carried.some(({ detail }) => (detail.data as { project_id?: string }).project_id === marker.id) &&
      carried.every(({ deliveries }) => deliveries.every(({ state }) => state === 'done'))
    );
  });
};

/** What somebody has been sent, newest first. */
export const mailsTo = async (world: Client, who: Person): Promise<ReceivedMail[]> =>
  (await world.mails()).filter(({ to }) => to === who.email);
