import { mockClient } from 'aws-sdk-client-mock';
import { DynamoClient } from '#platform/dynamo.ts';
import type { Command } from '#platform/dynamo-commands.ts';

type CommandClass<Input extends object, Output> = new (input: Input) => Command<Input, Output>;

/** The responses to a command; `…Once` applies to the next call only. */
interface Responses<Output> {
  resolves(output: Partial<Output>): this;
  resolvesOnce(output: Partial<Output>): this;
  rejects(error: Error): this;
  rejectsOnce(error: Error): this;
  // biome-ignore lint/suspicious/noExplicitAny: tests name nested members of the input without checking each level.
  callsFake(respond: (input: any) => unknown): this; // oxlint-disable-line typescript/no-explicit-any -- see above
}

/** `aws-sdk-client-mock` with the commands of `#platform/dynamo-commands.ts`. */
interface TableMock {
  on<Input extends object, Output>(command: CommandClass<Input, Output>): Responses<Output>;
  commandCalls<Input extends object, Output>(
    command: CommandClass<Input, Output>,
  ): readonly { readonly args: readonly [{ readonly input: Input }] }[];
  reset(): void;
  restore(): void;
}

/** Replaces the responses of all clients of the table in this process. */
export const mockTable = (): TableMock => mockClient(DynamoClient as never) as unknown as TableMock;
