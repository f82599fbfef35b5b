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

  it.each(synthesized.all)('$name contains no account, region or secret', ({ text }) => {
    expect(text).not.toMatch(/\b\d{12}\b/);
    expect(text).not.toMatch(/\b(?:us|eu|ap|ca|sa)-[a-z]+-\d\b/);
    expect(text).not.toMatch(/sk_(?:live|test)_|whsec_|AKIA[A-Z0-9]{16}|BEGIN [A-Z ]*PRIVATE KEY/);
  });
});

describe('the code of the infrastructure', () => {
  const files = ['lib', 'bin'].flatMap((folder) =>
    readdirSync(folder, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(folder, file)),
  );

  it.each(files)('%s has at most 200 lines', (file) => {
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(200);
  });
});
