import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { synthesize } from './synthesized.ts';

const RESOURCES_MAX = 400;

/** CloudFormation takes templates of one megabyte. */
const TEMPLATE_BYTES_MAX = 900_000;

describe.each(['dev', 'staging', 'prod', 'sandbox'])('stage %s', (stage) => {
  const synthesized = synthesize(stage);

  it('passes every check, each exception with a reason', () => {
    expect(synthesized.findings).toEqual([]);
  });

  it.each(synthesized.all)('$name stays far from the limits of CloudFormation', ({ resources, text }) => {
    expect(resources.length).toBeLessThanOrEqual(RESOURCES_MAX);
    expect(text.length).toBeLessThan(TEMPLATE_BYTES_MAX);
  });

  it.each(synthesized.all)('$name gives no resource a physical name', ({ resources }) => {
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
      // These refer to a function by name; it is not their own.
      names.some((name) => typeof properties[name] === 'string' && type !== 'AWS::Lambda::EventSourceMapping'),
    );
    expect(physical).toEqual([]);
  });

  it.each(synthesized.all)('$name knows no account, region or secret', ({ text }) => {
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

  it.each(files)('%s can be read in one sitting', (file) => {
    expect(readFileSync(file, 'utf8').split('\n').length).toBeLessThanOrEqual(200);
  });
});
