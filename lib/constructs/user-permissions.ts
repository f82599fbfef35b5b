import type { PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { userKey } from '#data/keys.ts';
import type { StackContext } from './stack-context.ts';
import { allow, keyWriteStatements, leadingKeysCondition } from './statements.ts';

/**
 * Writes of user records, limited to attributes: a record has the role and the ban of its user, and only functions with
 * `users:roles` may write those.
 */

/** Of every expression: the key, the version, and the places in the feed and in the collection of users. */
const common = ['pk', 'sk', 'type', 'version', 'erased_at', 'feed_pk', 'feed_sk', 'collection_pk', 'collection_sk'];

/** What a token and the users themselves determine. */
export const identityAttributes: readonly string[] = [
  ...common,
  'id',
  'email',
  'email_verified',
  'name',
  'avatar_url',
  'bio',
  'website',
  'joined_at',
  'notifications',
  'comment_count',
];

export const countAttributes: readonly string[] = [...common, 'comment_count'];

const writeUser =
  (action: string, attributes: readonly string[] | undefined) =>
  (context: StackContext): readonly PolicyStatement[] => [
    allow([action], context.table.tableArn, {
      ...leadingKeysCondition(userKey('*').pk),
      ...(attributes && { 'ForAllValues:StringEquals': { 'dynamodb:Attributes': [...attributes] } }),
    }),
    ...keyWriteStatements(context),
  ];

/** @param attributes undefined for all, with the role and the ban. */
export const updateUser = (attributes: readonly string[] | undefined) => writeUser('dynamodb:UpdateItem', attributes);

/** The record of an erased user, which replaces the whole one. It may keep a ban and has no role. */
const erasedAttributes = [...common, 'id', 'comment_count', 'is_banned'];

const variables = () => ({});

/** The permissions of the contract for user records. */
export const userPermissions = {
  'users:roles': { statements: updateUser(undefined), variables },
  'users:counts': { statements: updateUser(countAttributes), variables },
  'users:erase': { statements: writeUser('dynamodb:PutItem', erasedAttributes), variables },
} as const;
