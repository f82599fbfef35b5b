import type { ReceivedMail } from '#local/mail.ts';
import type { Client } from './client.ts';
import type { Directory, Person } from './fixtures.ts';
import type { TestServer } from './server.ts';

/** Waits until all events so far are published and processed by their subscribers. */
export const untilEventsDelivered = async (server: TestServer, directory: Directory): Promise<void> => {
  // Events are published in the order of writing, so the marker is the last one.
  const marker = await directory.submit(directory.admin);
  await server.until(async () => {
    const events = server.server.bus.events({ includeTasks: true, limit: 50 });
    return (
      events.some(({ detail }) => (detail.data as { project_id?: string }).project_id === marker.id) &&
      events.every(({ deliveries }) => deliveries.every(({ state }) => state === 'done'))
    );
  });
};

/** The mails to a user, newest first. */
export const mailsTo = async (server: Client, who: Person): Promise<ReceivedMail[]> =>
  (await server.mails()).filter(({ to }) => to === who.email);

/** Waits until all events so far are published. */
export const untilEventsPublished = async (server: Client, directory: Directory): Promise<void> => {
  const marker = await directory.submit(directory.admin);
  await server.until(async () => (await kindsAbout(server, marker.id)).length > 0);
};

/** The kinds of the published events that name an id, oldest first. */
export const kindsAbout = async (server: Client, id: string): Promise<string[]> =>
  (await server.events())
    .filter(({ data }) => Object.values(data as object).includes(id))
    .map(({ kind }) => kind)
    .toReversed();
