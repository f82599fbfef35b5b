import { dynamo } from '#platform/dynamo.ts';

interface Capacity {
  readonly CapacityUnits?: number;
}

/** The read units that some work consumes. Concurrent work of this process counts too. */
export const readUnits = async (work: () => Promise<unknown>): Promise<number> => {
  let units = 0;
  const name = 'read-units';
  dynamo().middlewareStack.add(
    (next, context) => async (args) => {
      const response = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const { ConsumedCapacity: consumed } = response.output as { ConsumedCapacity?: Capacity | readonly Capacity[] };
      if (/Get|Query/.test(String(context.commandName))) {
        for (const { CapacityUnits = 0 } of [consumed ?? []].flat()) units += CapacityUnits;
      }
      return response;
    },
    { step: 'initialize', name },
  );
  try {
    await work();
    return units;
  } finally {
    dynamo().middlewareStack.remove(name);
  }
};
