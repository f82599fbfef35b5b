import { readFileSync } from 'node:fs';
import type { Plugin } from 'esbuild';

/** What may befall reads and writes of items; the other errors belong to the administration of tables. */
const KEPT =
  /\b(?:DynamoDBService|ConditionalCheckFailed|Transaction\w+|IdempotentParameterMismatch|ItemCollectionSizeLimitExceeded|ProvisionedThroughputExceeded|ResourceNotFound|Throttling)Exception\b|\b(?:InternalServerError|RequestLimitExceeded)\b/;

/**
 * Leaves out the classes of the errors that no function can meet, two thirds of DynamoDB's. An error without a class of its
 * own is the base class with the error's name. Lines that an upgrade writes otherwise stay, and the budget tells.
 */
export const tableErrors: Plugin = {
  name: 'table-errors',
  setup: (build) => {
    build.onLoad({ filter: /client-dynamodb[\\/]dist-es[\\/]schemas[\\/]schemas_0\.js$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll(/^\w+_registry\.registerError\(.*\);$/gm, (line) =>
        KEPT.test(line) ? line : '',
      ),
    }));
  },
};
