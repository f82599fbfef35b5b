import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import { jobs } from '#events/jobs.ts';
import { subscriptions } from '#events/subscriptions.ts';
import { configOf } from '#lib/config.ts';
import { TIMEOUT_SECONDS } from '#lib/constructs/base-function.ts';
import { claimsTrigger, constructIdOf, handlerFiles } from '#lib/handlers.ts';
import { named, ofType, type SynthesizedStack, synthesize } from './synthesized.ts';

/** Memory, timeout and concurrency of functions: templates and documentation agree. */

const { data, events, api, all } = synthesize('prod');
const config = configOf('prod');
const sandbox = configOf('sandbox');

const documentation = readFileSync('docs/functions.md', 'utf8');

/** The rows of the first table below a heading, without its header. */
const tableBehind = (heading: string): readonly (readonly string[])[] => {
  const lines = documentation.slice(documentation.indexOf(`## ${heading}\n`)).split('\n');
  const from = lines.findIndex((line) => line.startsWith('|'));
  const to = lines.findIndex((line, at) => at > from && !line.startsWith('|'));
  return lines.slice(from + 2, to).map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  );
};

const propertiesOf = (id: string) => {
  const has = (stack: SynthesizedStack) =>
    ofType(stack, 'AWS::Lambda::Function').some(({ logicalId }) => logicalId.slice(0, -8) === constructIdOf(id));
  const stack = [data, events, api].find(has);
  if (!stack) throw new Error(`No function belongs to ${id}.`);
  return named(stack, 'AWS::Lambda::Function', constructIdOf(id)).properties;
};

it('the kinds of functions have the documented memory and timeout', () => {
  expect(tableBehind('Memory and time by kind').map((row) => row.slice(0, 4))).toEqual(
    (['request', 'catalog', 'subscriber', 'publisher'] as const).map((kind) => [
      kind,
      String(sandbox.memoryMb[kind]),
      String(config.memoryMb[kind]),
      kind === 'catalog' ? '' : String(TIMEOUT_SECONDS[kind]),
    ]),
  );
});

it.each(handlerFiles.filter(({ permissions }) => permissions.includes('catalog')))(
  '$id has the memory for the catalog, and reports how much it uses',
  ({ id }) => {
    const { MemorySize, LoggingConfig } = propertiesOf(id);
    expect(MemorySize).toBeGreaterThanOrEqual(config.memoryMb.catalog);
    expect(LoggingConfig).toMatchObject({ SystemLogLevel: 'INFO' });
  },
);

describe('a function with its own timeout', () => {
  const rows = tableBehind('Functions with their own timeout');
  const declared = [
    ...routes.filter(({ auth, timeoutSeconds, memoryMb }) => auth !== 'cron' && (timeoutSeconds ?? memoryMb)),
    ...subscriptions.filter((one) => 'timeoutSeconds' in one),
    ...jobs.map(({ route }) => route),
    claimsTrigger,
  ].map(({ id }) => id);

  it('a function with its own timeout is documented with a reason, and no other function is', () => {
    expect(rows.map(([id]) => id).toSorted()).toEqual([...declared].sort());
    expect(rows.filter(([, , , why]) => why === '')).toEqual([]);
  });

  it.each(rows)('%s has a timeout of %s seconds', (id, seconds, memory) => {
    const { Timeout, MemorySize } = propertiesOf(id ?? '');
    expect(String(Timeout)).toBe(seconds);
    if (memory !== '') expect(String(MemorySize)).toBe(memory);
  });

  it('a function with its own timeout times out before the gateway does, unless its response is streamed', () => {
    for (const { id, auth, timeoutSeconds = 0, responses } of routes) {
      const isStreamed = Object.values(responses).some((response) => 'stream' in response && response.stream);
      if (auth !== 'cron' && !isStreamed) expect([id, timeoutSeconds <= 29]).toEqual([id, true]);
    }
  });
});

const declaredLimits = handlerFiles.flatMap(({ id, reservedConcurrency: most }) =>
  most === undefined ? [] : [[id, most] as const],
);

it('reserved concurrency is declared as documented, and is at most 100 in total', () => {
  const rows = tableBehind('Reserved concurrency').map(([id = '', most]) => [id, Number(most)] as const);
  expect(Object.fromEntries(rows)).toEqual(Object.fromEntries(declaredLimits));
  expect(declaredLimits.reduce((sum, [, most]) => sum + most, 0)).toBeLessThanOrEqual(100);
});

it('reserved concurrency is that of the declarations in prod', () => {
  for (const [id, most] of declaredLimits) expect(propertiesOf(id).ReservedConcurrentExecutions).toBe(most);
  const functions = all.flatMap((stack) => ofType(stack, 'AWS::Lambda::Function'));
  const reserved = functions.filter(({ properties }) => properties.ReservedConcurrentExecutions !== undefined);
  expect(reserved).toHaveLength(declaredLimits.length);
});

it('reserved concurrency is not set in other stages', () => {
  for (const stage of ['dev', 'staging', 'sandbox']) expect(configOf(stage).reserveConcurrency).toBe(false);
});
