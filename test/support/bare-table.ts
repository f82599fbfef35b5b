import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient, ScanCommand } from '@aws-sdk/lib-dynamodb';
import { startEngine } from '#local/engine.ts';
import { embeddedEngine, setVariables } from '#local/environment.ts';
import { openStreamLog } from '#local/stream-log.ts';
import { ensureTable } from '#local/table.ts';
import { sweepOnce } from '#local/ttl-sweeper.ts';
import { log } from '#platform/log.ts';

/** An item as it is stored. */
type StoredItem = Readonly<Record<string, unknown>>;

/** The table on the real engine, without a server. */
export interface BareTable {
  /** Reads all items of the table. */
  scan(): Promise<StoredItem[]>;
  /** Removes expired items, as DynamoDB does by TTL. */
  sweep(): Promise<void>;
  /** Stops the engine and removes its data. */
  stop(): Promise<void>;
}

/**
 * Starts an empty table and configures this process to use it. Once per process, because settings are read once.
 * @param variables further environment variables.
 */
export const startBareTable = async (variables: Readonly<Record<string, string>> = {}): Promise<BareTable> => {
  log.setLogLevel('SILENT');
  const folder = mkdtempSync(path.join(tmpdir(), 'directory-table-'));
  const dbPath = path.join(folder, 'table.sqlite');
  const engine = await startEngine(dbPath, path.join(folder, 'engine.json'));
  const tableName = 'directory';
  const reset = setVariables({
    ...embeddedEngine(engine.endpoint),
    TABLE_NAME: tableName,
    AWS_REGION: 'us-east-1',
    // A busy machine may answer late.
    TABLE_TIMEOUT_MS: '30000',
    ...variables,
  });
  const client = new DynamoDBClient({});
  const documents = DynamoDBDocumentClient.from(client);
  await ensureTable(client, tableName);
  // Indexes the records of the stream: without it, a write takes longer the more were made before.
  openStreamLog(dbPath, tableName).close();
  return {
    scan: async () => {
      const items: StoredItem[] = [];
      let start: Record<string, unknown> | undefined;
      do {
        const response = await documents.send(
          new ScanCommand({ TableName: tableName, ConsistentRead: true, ExclusiveStartKey: start }),
        );
        items.push(...(response.Items ?? []));
        start = response.LastEvaluatedKey;
      } while (start);
      return items;
    },
    sweep: async () => {
      await sweepOnce(client, tableName, new Set());
    },
    stop: async () => {
      client.destroy();
      await engine.stop();
      rmSync(folder, { recursive: true, force: true });
      reset();
    },
  };
};
