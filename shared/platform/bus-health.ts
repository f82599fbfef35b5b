import { DescribeEventBusCommand, EventBridgeClient } from '@aws-sdk/client-eventbridge';
import { settings } from './settings.ts';

let client: EventBridgeClient | undefined;

/**
 * Asks whether the bus is there. Nothing is put on it: what its subscribers are told must have happened.
 * @throws when there is none, it answers with an error, or the signal ends the wait.
 */
export const askBus = async (signal: AbortSignal): Promise<void> => {
  client ??= new EventBridgeClient({});
  await client.send(new DescribeEventBusCommand({ Name: settings().bus }), { abortSignal: signal });
};
