import { dynamo } from '#platform/dynamo.ts';

interface Capacity {
  readonly CapacityUnits?: number;
}

/** The read units that some work consumes. Concurrent work of this process counts too. */
export const readUnits = async (work: () => Promise<unknown>): Promise<number> => {
  let units = 0;
  const { middlewareStack } = dynamo();
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
        const { ConsumedCapacity: consumed } = result.output as { ConsumedCapacity?: Capacity | readonly Capacity[] };
        if (/Get|Query/.test(String(commandName))) {
          for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) units += CapacityUnits;
        }
        return result;
      },
    { step: 'initialize', name: 'readUnits' },
  );
  try {
    await work();
    return units;
  } finally {
    middlewareStack.remove('readUnits');
  }
};
