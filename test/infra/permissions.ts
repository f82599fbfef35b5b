import { entities } from '#contract/route.ts';
import { type WrittenEntity, writeScopes } from '#data/entities.ts';
import { snapshotPrefix } from '#data/keys.ts';
import { constructIdOf, type FunctionPermission, type HandlerFile, handlerFiles } from '#lib/handlers.ts';
import type { AwsCall } from '#test/support/aws-calls.ts';
import { actionsIn, resourcesIn, statementsOf } from './statements.ts';
import { ofType, type Resource, type Synthesized, type SynthesizedStack, targetOf } from './synthesized.ts';

/** One action on one resource that a role allows. */
export interface Permission {
  readonly action: string;
  /** As in {@link AwsCall}. */
  readonly resource: string;
  /** Patterns of allowed partition keys; undefined allows all. */
  readonly leadingKeys: readonly string[] | undefined;
  /** The allowed attributes; undefined allows all. */
  readonly attributes?: readonly string[] | undefined;
}

/**
 * Actions that the platform performs with the role of a function: log, traces, dead-letter queue, and polling the
 * stream.
 */
const PLATFORM: readonly RegExp[] = [
  /^logs:(?:CreateLogStream|PutLogEvents)$/,
  /^xray:(?:PutTraceSegments|PutTelemetryRecords)$/,
  /^sqs:SendMessage$/,
  /^dynamodb:(?:DescribeStream|GetRecords|GetShardIterator|ListStreams)$/,
];

/** DynamoDB uses the key of the table on behalf of the caller. */
const isOfTableKey = (action: string, resource: string): boolean =>
  action.startsWith('kms:') && resource !== 'webhook key';

const wordOf = (resource: string): string => {
  if (resource.startsWith('sender ')) return 'sender';
  if (resource.endsWith('DeadLetters')) return 'dead-letter queue';
  return resource === 'Bus' ? 'bus' : resource;
};

/** The function of a handler, in any stack. */
export const functionOf = ({ all }: Synthesized, handler: string): { stack: SynthesizedStack; resource: Resource } => {
  for (const stack of all) {
    const resource = ofType(stack, 'AWS::Lambda::Function').find(
      ({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, '') === constructIdOf(handler),
    );
    if (resource) return { stack, resource };
  }
  throw new Error(`${handler} has no function.`);
};

/** The actions that the role of a handler allows its code. */
export const permissionsOf = (synthesized: Synthesized, handler: string): readonly Permission[] => {
  const { stack, resource: target } = functionOf(synthesized, handler);
  return statementsOf(stack, targetOf(target.properties.Role)).flatMap((statement) => {
    const leadingKeys = statement.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as
      | readonly string[]
      | undefined;
    const attributes = statement.Condition?.['ForAllValues:StringEquals']?.['dynamodb:Attributes'] as
      | readonly string[]
      | undefined;
    return actionsIn(statement)
      .filter((action) => !PLATFORM.some((pattern) => pattern.test(action)))
      .flatMap((action) =>
        resourcesIn(statement).map((one) => ({ action, resource: wordOf(one), leadingKeys, attributes })),
      )
      .filter(({ action, resource }) => !isOfTableKey(action, resource));
  });
};

/** Whether a key matches an IAM pattern with an optional trailing `*`. */
const fits = (pattern: string, key: string): boolean =>
  pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;

const WRITE = /^dynamodb:(?:Put|Update|Delete|BatchWrite)/;

/** Whether a permission allows a call. */
export const permits = ({ action, resource, leadingKeys, attributes }: Permission, call: AwsCall): boolean =>
  action === call.action &&
  resource === call.resource &&
  (attributes === undefined || (call.attributes ?? []).every((name) => attributes.includes(name))) &&
  (leadingKeys === undefined || leadingKeys.some((pattern) => fits(pattern, call.leadingKey ?? '')));

/**
 * Actions that count as one permission: they give the same access, and the actions of a transaction depend on the data.
 */
const RIGHTS: Readonly<Record<string, string>> = {
  'dynamodb:GetItem': 'reading items by their keys',
  'dynamodb:BatchGetItem': 'reading items by their keys',
  'dynamodb:PutItem': 'writing items',
  'dynamodb:UpdateItem': 'writing items',
  'dynamodb:DeleteItem': 'writing items',
  'dynamodb:ConditionCheckItem': 'writing items',
};

/** A cold process reads a snapshot, and every process queries the feed; which test does which is random. */
const CATALOG = 'following the feed, from a snapshot on';

/** A permission in words. All actions on the same keys are one permission, such as storing user records. */
const rightOf = ({ action, resource, leadingKeys }: Permission): string =>
  resource === 'index feed' || (action === 'dynamodb:Query' && leadingKeys?.join() === `${snapshotPrefix}*`)
    ? CATALOG
    : leadingKeys
      ? `the ${resource} of ${leadingKeys.join(', ')}`
      : `${RIGHTS[action] ?? action} on ${resource}`;

/** The attributes that authentication writes. */
const firstUseWrites: ReadonlySet<string> = new Set(
  (['users:identity', 'api-keys:use'] as const).flatMap((entity) => writeScopes[entity].only?.attributes?.join() ?? []),
);

/**
 * Not expected of every function: conditions of a transaction, which change nothing, and what a process reads once or keeps for a
 * second, so that tests in one process see the first of its functions only: webhook secrets, parameters, and the definitions of
 * fields, which are a partition of the table. The first request of a user and the first use of a key on a day write, whichever
 * function they call.
 */
const isOptional = ({ action, resource, leadingKeys, attributes }: Permission): boolean =>
  firstUseWrites.has(attributes?.join() ?? '') ||
  (action === 'dynamodb:Query' && resource === 'table' && leadingKeys === undefined) ||
  ['dynamodb:ConditionCheckItem', 'ssm:GetParameter'].includes(action) ||
  action.startsWith('kms:');

/** Written keys are listed by function, and the actions on them depend on the data. */
const inWords = ({ action, resource, leadingKeys }: Permission): string => {
  return `${action} on ${resource}${leadingKeys && !WRITE.test(action) ? ` of ${leadingKeys.join(', ')}` : ''}`;
};

/** Whether a call writes an item of an entity, and only what the entity covers. */
const writes = ({ action, resource, leadingKey = '', attributes = [] }: AwsCall, entity: WrittenEntity): boolean => {
  const { keys, only } = writeScopes[entity];
  return (
    resource === 'table' &&
    WRITE.test(action) &&
    keys.some((pattern) => fits(pattern, leadingKey)) &&
    (only === undefined || action === `dynamodb:${only.action}`) &&
    (only?.attributes === undefined || attributes.every((name) => only.attributes?.includes(name)))
  );
};

/** Parts of an entity, the narrowest first: a write of a narrow part does not need the broader one. */
const PARTS: readonly (readonly WrittenEntity[])[] = [
  ['users:counts', 'users:identity', 'users:erase', 'users:roles'],
  ['api-keys:use', 'api-keys'],
  ['job-runs', 'jobs'],
];

/** Whether a call needs the permission to write an entity: no narrower part of it suffices, of those that a function has. */
const needs = (call: AwsCall, entity: WrittenEntity, owned: readonly WrittenEntity[]): boolean => {
  const parts = PARTS.find((one) => one.includes(entity)) ?? [entity];
  return parts.find((part) => owned.includes(part) && writes(call, part)) === entity;
};

/** What the middleware writes with the permissions of a function. */
const writtenBy: Readonly<Partial<Record<FunctionPermission, readonly WrittenEntity[]>>> = {
  identity: ['users:identity', 'api-keys:use'],
  job: ['job-runs'],
  rate: ['rate-counters'],
};

/** The declared entities that no recorded call of a handler writes. */
const idleEntities = (
  { permissions, writes: own }: HandlerFile,
  calls: readonly AwsCall[],
): readonly WrittenEntity[] => {
  const owned = [...own, ...permissions.flatMap((permission) => writtenBy[permission] ?? [])];
  return entities.filter((entity) => own.includes(entity) && !calls.some((call) => needs(call, entity, owned)));
};

/** A refused call in words; of a write, with the entity that the handler would have to declare. */
const refusal = (id: string, call: AwsCall): string => {
  const words = `${call.action} on ${call.resource} of ${call.leadingKey ?? 'no key'}`;
  const entity = entities.find((one) => writes(call, one));
  return entity ? `${id} writes ${entity}, which it does not declare: ${words}` : `${id}: ${words}`;
};

/** The comparison of recorded calls with the roles. */
export interface Comparison {
  /** The number of permissions over all handlers. */
  readonly rights: number;
  /** Calls that the role does not allow; they would fail when deployed. */
  readonly refused: readonly string[];
  /** Permissions without a recorded call, which can be removed. */
  readonly idle: readonly string[];
}

/** Permissions without a limit to keys are broader than those with one, and these than those of attributes. */
const breadthOf = ({ leadingKeys, attributes }: Permission): number =>
  leadingKeys === undefined ? 2 : attributes === undefined ? 1 : 0;

/**
 * Compares the calls of every handler with its role. A call uses the narrowest permission that allows it, so a wide one
 * counts as used only for calls that no narrower one allows.
 */
export const compare = (
  synthesized: Synthesized,
  callsByHandler: ReadonlyMap<string, readonly AwsCall[]>,
): Comparison => {
  const refused: string[] = [];
  const idle: string[] = [];
  const granted = new Set<string>();
  const used = new Set<string>();
  let rights = 0;
  for (const handlerFile of handlerFiles) {
    const { id } = handlerFile;
    const calls = callsByHandler.get(id) ?? [];
    const permissions = permissionsOf(synthesized, id).toSorted((a, b) => breadthOf(a) - breadthOf(b));
    const usedHere = new Set<string>();
    for (const call of calls) {
      const permission = permissions.find((one) => permits(one, call));
      if (permission) {
        used.add(inWords(permission));
        usedHere.add(rightOf(permission));
      } else refused.push(refusal(id, call));
    }
    for (const one of permissions) granted.add(inWords(one));
    const own = new Set(permissions.filter((one) => !isOptional(one)).map(rightOf));
    rights += own.size + handlerFile.writes.length;
    for (const right of own) if (!usedHere.has(right)) idle.push(`${id}: ${right}`);
    for (const entity of idleEntities(handlerFile, calls))
      idle.push(`${id}: declares to write ${entity}, which no test does`);
  }
  idle.push(...[...granted].filter((words) => !used.has(words)).map((words) => `no handler: ${words}`));
  return { rights, refused: refused.toSorted(), idle: idle.toSorted() };
};
