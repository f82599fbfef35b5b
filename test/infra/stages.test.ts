import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { synthesize } from './synthesized.ts';

describe.each(['dev', 'staging', 'prod', 'branch'])('stage %s', (stage) => {
  const synthesized = synthesize(stage);

  it.each(synthesized.all)('$name has no physical names', ({ resources }) => {
    const names = [
      'TableName',
      'FunctionName',
      'RoleName',
      'QueueName',
      'LogGroupName',
      'AlarmName',
      'UserPoolName',
      'ClientName',
    ];
    const physical = resources.filter(({ type, properties }) =>
      // Event source mappings refer to another resource by name.
      names.some((name) => typeof properties[name] === 'string' && type !== 'AWS::Lambda::EventSourceMapping'),
    );
    expect(physical).toEqual([]);
  });
});

const files = ['lib', 'bin'].flatMap((folder) =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => join(folder, file)),
);

it.each(files)('%s has at most 200 lines', (file) => {
  expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(200);
});
