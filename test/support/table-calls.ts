import { onTestFinished } from 'vitest';
import { dynamo } from '#platform/dynamo.ts';

type Values = Readonly<Record<string, unknown>>;

/** A request of this process to its table. */
export interface TableCall {
  /** As the service names it, such as `TransactWriteItems`. */
  readonly operation: string;
  readonly input: Values;
  /** Of a query. */
  readonly partition: string | undefined;
  /** The keys of the items that it reads by key, as `<pk> <sk>`. */
  readonly read: readonly string[];
  readonly written: readonly string[];
}

interface Part {
  readonly Key?: Values;
  readonly Item?: Values;
}

/** The form of keys in a `TableCall`. */
export const textOfKey = ({ pk, sk }: { readonly pk?: unknown; readonly sk?: unknown }): string =>
  `${String(pk)} ${String(sk)}`;

const keysOf = (parts: readonly Part[]): string[] =>
  parts.flatMap(({ Key, Item }) => ((Key ?? Item) ? [textOfKey(Key ?? Item ?? {})] : []));

interface Parts {
  readonly TransactItems?: readonly Readonly<Record<string, Part>>[];
  readonly RequestItems?: Readonly<
    Record<string, { readonly Keys?: readonly Values[] } | readonly Readonly<Record<string, Part>>[]>
  >;
}

/** Transactions and batches hold their keys one or two levels deeper. */
const partsOf = (input: Values): readonly Part[] => {
  const { TransactItems = [], RequestItems = {} } = input as Parts;
  return [
    input,
    ...TransactItems.flatMap(({ ConditionCheck: _check, ...parts }) => Object.values(parts)),
    ...Object.values(RequestItems).flatMap((requests) =>
      'Keys' in requests
        ? (requests.Keys ?? []).map((Key) => ({ Key }))
        : (requests as readonly Record<string, Part>[]).flatMap(Object.values<Part>),
    ),
  ];
};

const partitionOf = ({ ExpressionAttributeValues: values }: Values): string | undefined =>
  (values as { readonly ':p'?: string } | undefined)?.[':p'];

const callOf = (operation: string, input: Values): TableCall => {
  const keys = keysOf(partsOf(input));
  const isRead = /Get|Query/.test(operation);
  return {
    operation,
    input,
    partition: operation === 'Query' ? partitionOf(input) : undefined,
    read: isRead ? keys : [],
    written: isRead ? [] : keys,
  };
};

/**
 * Calls `intercept` instead of every request of this process to its table, until the test ends or the returned function is
 * called. `send` sends the request; what `intercept` throws is the failure of the request.
 * @param client the client of all requests but those of the rate counter by default.
 */
export const interceptTable = (
  intercept: (call: TableCall, send: () => Promise<object>) => Promise<object>,
  { middlewareStack } = dynamo(),
): (() => void) => {
  const name = `intercepted-${crypto.randomUUID()}`;
  middlewareStack.add(
    (next, { commandName }) =>
      async (args) => {
        const call = callOf(String(commandName).replace(/Command$/, ''), args.input as Values);
        let response: Awaited<ReturnType<typeof next>> | undefined;
        const output = await intercept(call, async () => {
          response = await next(args);
          return response.output;
        });
        return { response: undefined, ...response, output: output as NonNullable<typeof response>['output'] };
      },
    { step: 'initialize', name },
  );
  const stop = (): void => void middlewareStack.remove(name);
  onTestFinished(stop);
  return stop;
};

/** Records the requests of this process to its table until the test ends. */
export const recordTableCalls = (): readonly TableCall[] => {
  const calls: TableCall[] = [];
  interceptTable((call, send) => {
    calls.push(call);
    return send();
  });
  return calls;
};
