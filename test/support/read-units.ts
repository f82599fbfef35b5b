import { vi } from 'vitest';
import { dynamo } from '#platform/dynamo.ts';

interface Capacity {
  readonly CapacityUnits?: number;
}

/** The read units that some work consumes. Concurrent work of this process counts too. */
export const readUnits = async (work: () => Promise<unknown>): Promise<number> => {
  let units = 0;
  const client = dynamo();
  const send = client.send.bind(client);
  const spy = vi.spyOn(client, 'send').mockImplementation(async (command, options) => {
    Object.assign(command.input, { ReturnConsumedCapacity: 'TOTAL' });
    const output = await send(command, options);
    const { ConsumedCapacity: consumed } = output as { ConsumedCapacity?: Capacity | readonly Capacity[] };
    if (/Get|Query/.test(command.operation)) {
      for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) units += CapacityUnits;
    }
    return output;
  });
  try {
    await work();
    return units;
  } finally {
    spy.mockRestore();
  }
};
