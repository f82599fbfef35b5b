import { ConditionalCheckFailedException } from '@aws-sdk/client-dynamodb';
import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Identity, UserRecord } from '#domain/users/user.ts';
import { newUser } from '#domain/users/user.ts';
import { now } from '#platform/clock.ts';
import { dynamo } from '#platform/dynamo.ts';
import { settings } from '#platform/settings.ts';
import { amongUsers, userKey } from './keys.ts';

/**
 * The user records that the identity gate reads and makes. It sends its commands itself, apart from `read.ts` and
 * `write.ts`, because every function with a login may do just this much and its role is limited to these keys.
 */

/** The newest record of a user. */
export const findUser = async (userId: string): Promise<UserRecord | undefined> => {
  const answer = await dynamo().send(
    new GetCommand({ TableName: settings().table, Key: userKey(userId), ConsistentRead: true }),
  );
  return answer.Item as UserRecord | undefined;
};

/** The record of a verified identity, made at first sight. Two requests at once make one record. */
export const userAtFirstSight = async (identity: Identity): Promise<UserRecord> => {
  const known = await findUser(identity.sub);
  if (known) return identity.email && known.email === null ? await rememberEmail(known, identity.email) : known;
  const user = newUser(identity, settings().adminEmails, now());
  try {
    await dynamo().send(
      new PutCommand({
        TableName: settings().table,
        Item: { ...userKey(user.id), ...amongUsers(user.joined_at, user.id), type: 'user', ...user },
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    );
    return user;
  } catch (error) {
    if (!(error instanceof ConditionalCheckFailedException)) throw error;
    return (await findUser(identity.sub)) ?? user;
  }
};

// Providers may put the address into later tokens only, such as Cognito after the first sign-in.
const rememberEmail = async (user: UserRecord, email: string): Promise<UserRecord> => {
  const answer = await dynamo().send(
    new UpdateCommand({
      TableName: settings().table,
      Key: userKey(user.id),
      UpdateExpression: 'SET email = :email',
      ConditionExpression: 'attribute_exists(pk)',
      ExpressionAttributeValues: { ':email': email },
      ReturnValues: 'ALL_NEW',
    }),
  );
  return answer.Attributes as unknown as UserRecord;
};
