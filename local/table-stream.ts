import {
  type _Record,
  DescribeStreamCommand,
  DynamoDBStreamsClient,
  GetRecordsCommand,
  GetShardIteratorCommand,
  type ShardIteratorType,
  TrimmedDataAccessException,
} from '@aws-sdk/client-dynamodb-streams';
import { clientSettings } from '#platform/aws.ts';

/** The stream of the table, as the poller reads it. */
export interface TableStream {
  readonly arn: string;
  /** The ids of the shards, oldest first. */
  shards(): Promise<string[]>;
  /** Where to read a shard: after a sequence number, or from its oldest record without one or when that is trimmed. */
  iteratorAfter(shardId: string, sequenceNumber: string | undefined): Promise<string | undefined>;
  /** `next` is undefined at the end of a closed shard. */
  read(
    iterator: string | undefined,
  ): Promise<{ readonly records: readonly _Record[]; readonly next: string | undefined }>;
}

const PAGE_MAX = 1000;
/** The time limit of one attempt, in milliseconds: a page may have a thousand records. */
const TIMEOUT_MS = 30_000;

/** Opens a stream at the URL in `AWS_ENDPOINT_URL_DYNAMODB_STREAMS`. */
export const openTableStream = (arn: string): TableStream => {
  const client = new DynamoDBStreamsClient(clientSettings(TIMEOUT_MS));
  const iterator = async (shardId: string, type: ShardIteratorType, after?: string): Promise<string | undefined> => {
    const input = { StreamArn: arn, ShardId: shardId, ShardIteratorType: type, SequenceNumber: after };
    return (await client.send(new GetShardIteratorCommand(input))).ShardIterator;
  };
  return {
    arn,
    shards: async () => {
      const { StreamDescription: stream } = await client.send(new DescribeStreamCommand({ StreamArn: arn }));
      return (stream?.Shards ?? []).flatMap(({ ShardId }) => ShardId ?? []);
    },
    iteratorAfter: async (shardId, sequenceNumber) => {
      if (sequenceNumber === undefined) return await iterator(shardId, 'TRIM_HORIZON');
      try {
        return await iterator(shardId, 'AFTER_SEQUENCE_NUMBER', sequenceNumber);
      } catch (error) {
        if (!(error instanceof TrimmedDataAccessException)) throw error;
        return await iterator(shardId, 'TRIM_HORIZON');
      }
    },
    read: async (from) => {
      const page = await client.send(new GetRecordsCommand({ ShardIterator: from, Limit: PAGE_MAX }));
      return { records: page.Records ?? [], next: page.NextShardIterator };
    },
  };
};
