import type { UpdateCommandInput } from '@aws-sdk/lib-dynamodb';
import { vi } from 'vitest';
import { dynamoWithoutRetries } from '#platform/dynamo.ts';
import { UpdateCommand } from '#platform/dynamo-commands.ts';

/** A write of the shared rate counter. */
interface RateWrite {
  /** The number of requests that it counts. */
  readonly requests: number;
  readonly input: UpdateCommandInput;
}

const rateWriteOf = (command: unknown): RateWrite[] => {
  if (!(command instanceof UpdateCommand) || !String(command.input.Key?.pk).startsWith('RATE#')) return [];
  return [{ requests: Number(command.input.ExpressionAttributeValues?.[':more']), input: command.input }];
};

/** Records the rate counter's writes of this process; to be called once the server has started. */
export const recordRateWrites = () => {
  const client = dynamoWithoutRetries();
  const send = client.send.bind(client) as (...given: unknown[]) => Promise<unknown>;
  const writes: RateWrite[] = [];
  let failure: Error | undefined;
  vi.spyOn(client as { send: typeof send }, 'send').mockImplementation(async (...given: unknown[]) => {
    const rateWrites = rateWriteOf(given[0]);
    writes.push(...rateWrites);
    if (rateWrites.length > 0 && failure) {
      const error = failure;
      failure = undefined;
      throw error;
    }
    return await send(...given);
  });
  return {
    writes,
    failNext: (error: Error): void => {
      failure = error;
    },
  };
};
