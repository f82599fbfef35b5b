import { GetCommand, PutCommand, UpdateCommand } from '@aws-sdk/lib-dynamodb';
import type { Identity, UserRecord } from '#domain/users/user.ts';
import { newsOf, newUser } from '#domain/users/user.ts';
import { now } from '#platform/clock.ts';
import { dynamo } from '#platform/dynamo.ts';
import { settings } from '#platform/settings.ts';
import { amongChangedUsers, userKey } from './keys.ts';
import { sendSingle } from './single-write.ts';
import { userItem, userOf } from './user-items.ts';

/**
 * The user records that the identity gate reads and makes. It sends its commands itself, apart from `read.ts` and
 * `write.ts`, because every function with a login may do just this much and its role is limited to these keys.
 */

/** The newest record of a user; of an erased one, what stays of him. */
export const findUser = async (userId: string): Promise<UserRecord | undefined> => {
  const answer = await dynamo().send(
    new GetCommand({ TableName: settings().table, Key: userKey(userId), ConsistentRead: true }),
  );
  return answer.Item && userOf(answer.Item);
};

/**
 * The record of a verified identity, made at first sight. Two requests at once make one record.
 * @returns also what stays of an erased user, with `erased_at`: nobody may act in his name.
 */
export const userAtFirstSight = async (identity: Identity): Promise<UserRecord> => {
  const known = await findUser(identity.sub);
  if (known) return known.erased_at === null ? await withNews(known, identity) : known;
  const user = newUser(identity, settings().adminEmails, now());
  const made = await sendSingle(() =>
    dynamo().send(
      new PutCommand({
        TableName: settings().table,
        Item: userItem(user, now()),
        ConditionExpression: 'attribute_not_exists(pk)',
      }),
    ),
  );
  return made ? user : ((await findUser(identity.sub)) ?? user);
};

/** The record with what the identity tells beyond it. A change in between wins: the next request tells it again. */
const withNews = async (known: UserRecord, identity: Identity): Promise<UserRecord> => {
  const news = newsOf(known, identity, settings().adminEmails);
  if (!news) return known;
  const answer = await sendSingle(() => {
    // Placed by the time of the very try that succeeds: a stamp that is older than its commit could be passed over.
    const { feed_pk, feed_sk } = amongChangedUsers(now(), known.id);
    return dynamo().send(
      new UpdateCommand({
        TableName: settings().table,
        Key: userKey(known.id),
        UpdateExpression:
          'SET email = :email, email_verified = :verified, #role = :role, is_admin = :admin, feed_pk = :pk, feed_sk = :sk ADD version :one',
        ConditionExpression:
          known.version === 0 ? 'attribute_not_exists(version) AND attribute_exists(pk)' : 'version = :version',
        ExpressionAttributeNames: { '#role': 'role' },
        ExpressionAttributeValues: {
          ':email': news.email,
          ':verified': news.email_verified,
          ':role': news.role,
          ':admin': news.is_admin,
          ':pk': feed_pk,
          ':sk': feed_sk,
          ':one': 1,
          ...(known.version > 0 && { ':version': known.version }),
        },
        ReturnValues: 'ALL_NEW',
      }),
    );
  });
  if (!answer) return (await findUser(known.id)) ?? known;
  return answer.Attributes ? userOf(answer.Attributes) : known;
};
