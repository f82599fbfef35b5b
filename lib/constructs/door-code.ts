import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Stack } from 'aws-cdk-lib';
import { Code } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { bundleFolder, dist, uploadFolder } from '../bundle.ts';

/** V8 never makes the same twice: what tells uploads apart is what it was made of, and for which Node, which its name says. */
const sourceHash = (folder: string): string => {
  const names = readdirSync(folder).toSorted();
  const hash = createHash('sha256').update(names.join());
  for (const name of names) if (!name.endsWith('.cache')) hash.update(readFileSync(join(folder, name)));
  return hash.digest('hex');
};

/** The code of a door as it was bundled and perhaps compiled, or an empty folder where the stack is only looked at. */
export const doorCode = (scope: Construct, path: string): Code => {
  if (Stack.of(scope).bundlingRequired) {
    const folder = uploadFolder(path);
    return Code.fromAsset(folder, folder === bundleFolder(path) ? {} : { assetHash: sourceHash(folder) });
  }
  const empty = join(dist, 'empty');
  mkdirSync(empty, { recursive: true });
  return Code.fromAsset(empty);
};
