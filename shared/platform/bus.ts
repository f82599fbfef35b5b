import { EventBridgeClient, PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { settings } from './settings.ts';

let client: EventBridgeClient | undefined;

/** What one entry on the bus says. */
export interface BusEntry {
  readonly id: string;
  readonly source: string;
  readonly kind: string;
  readonly detail: unknown;
  readonly time: Date;
}

/** How many entries one call to the bus takes. */
const ENTRIES_MAX = 10;

/**
 * Puts entries on the bus, ten at a time.
 * @returns the ids of those that the bus did not take; the caller tries them again.
 */
export const putOnBus = async (entries: readonly BusEntry[]): Promise<string[]> => {
  client ??= new EventBridgeClient({});
  const refused: string[] = [];
  for (let start = 0; start < entries.length; start += ENTRIES_MAX) {
    const batch = entries.slice(start, start + ENTRIES_MAX);
    const answer = await client.send(
      new PutEventsCommand({
        Entries: batch.map((entry) => ({
          EventBusName: settings().bus,
          Source: entry.source,
          DetailType: entry.kind,
          Detail: JSON.stringify(entry.detail),
          Time: entry.time,
        })),
      }),
    );
    for (const [position, result] of (answer.Entries ?? []).entries()) {
      const entry = batch[position];
      if (result.ErrorCode && entry) refused.push(entry.id);
    }
  }
  return refused;
};
