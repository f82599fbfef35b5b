import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleFolder, dist } from '../bundle.ts';

/** The code of a door as it was bundled, or an empty folder where the stack is only looked at. */
export const doorCode = (scope: Construct, path: string): Code => {
  if (Stack.of(scope).bundlingRequired) return Code.fromAsset(bundleFolder(path));
  const empty = join(dist, 'empty');
  mkdirSync(empty, { recursive: true });
  return Code.fromAsset(empty);
};
