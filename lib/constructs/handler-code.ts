import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleFolder, dist } from '#lib/bundling/paths.ts';

/** The bundle of a handler, or an empty folder when the stack is synthesized without bundles. */
export const handlerCode = (scope: Construct, path: string): Code => {
  if (Stack.of(scope).bundlingRequired) return Code.fromAsset(bundleFolder(path));
  const empty = join(dist, 'empty');
  mkdirSync(empty, { recursive: true });
  return Code.fromAsset(empty);
};
