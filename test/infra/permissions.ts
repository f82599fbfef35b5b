import { snapshotPrefix } from '#data/keys.ts';
import { constructIdOf, doors } from '#lib/doors.ts';
import type { AwsCall } from '#test/support/aws-calls.ts';
import { actionsIn, resourcesIn, statementsOf } from './statements.ts';
import { ofType, type Resource, type Synthesized, type SynthesizedStack, targetOf } from './synthesized.ts';

/** Something that a role allows: one action on one resource. */
export interface Permission {
  readonly action: string;
  /** In the words of {@link AwsCall}. */
  readonly resource: string;
  /** Patterns that partition keys must fit; undefined where any does. */
  readonly leadingKeys: readonly string[] | undefined;
}

/**
 * What no code of ours calls and the platform does in a function's role: its log, its traces, the queue for what failed, and
 * reading the stream that starts it.
 */
const PLATFORM: readonly RegExp[] = [
  /^logs:(?:CreateLogStream|PutLogEvents)$/,
  /^xray:(?:PutTraceSegments|PutTelemetryRecords)$/,
  /^sqs:SendMessage$/,
  /^dynamodb:(?:DescribeStream|GetRecords|GetShardIterator|ListStreams)$/,
  // DynamoDB asks for the table's key in the name of whoever calls it.
  /^kms:/,
];

const wordOf = (resource: string): string =>
  resource.startsWith('sender ') ? 'sender' : resource === 'Bus' ? 'bus' : resource;

/** The function of a door, wherever it stands. */
export const functionOf = ({ all }: Synthesized, door: string): { stack: SynthesizedStack; resource: Resource } => {
  for (const stack of all) {
    const resource = ofType(stack, 'AWS::Lambda::Function').find(
      ({ logicalId }) => logicalId.replace(/[0-9A-F]{8}$/, '') === constructIdOf(door),
    );
    if (resource) return { stack, resource };
  }
  throw new Error(`${door} has no function.`);
};

/** What the role of a door's function lets its code do. */
export const permissionsOf = (synthesized: Synthesized, door: string): readonly Permission[] => {
  const { stack, resource: target } = functionOf(synthesized, door);
  return statementsOf(stack, targetOf(target.properties.Role)).flatMap((statement) => {
    const leadingKeys = statement.Condition?.['ForAllValues:StringLike']?.['dynamodb:LeadingKeys'] as
      | readonly string[]
      | undefined;
    return actionsIn(statement)
      .filter((action) => !PLATFORM.some((pattern) => pattern.test(action)))
      .flatMap((action) => resourcesIn(statement).map((one) => ({ action, resource: wordOf(one), leadingKeys })));
  });
};

/** Whether a key fits a pattern of IAM, in which a star stands for anything. */
const fits = (pattern: string, key: string): boolean =>
  pattern.endsWith('*') ? key.startsWith(pattern.slice(0, -1)) : key === pattern;

/** Whether a permission allows a call. */
export const permits = ({ action, resource, leadingKeys }: Permission, call: AwsCall): boolean =>
  action === call.action &&
  resource === call.resource &&
  (leadingKeys === undefined || leadingKeys.some((pattern) => fits(pattern, call.leadingKey ?? '')));

/**
 * Actions that are one right under several names: whoever may do one of them gains nothing by the others, and which of them a
 * transaction is made of depends on what it finds.
 */
const RIGHTS: Readonly<Record<string, string>> = {
  'dynamodb:GetItem': 'reading items by their keys',
  'dynamodb:BatchGetItem': 'reading items by their keys',
  'dynamodb:PutItem': 'writing items',
  'dynamodb:UpdateItem': 'writing items',
  'dynamodb:DeleteItem': 'writing items',
  'dynamodb:ConditionCheckItem': 'writing items',
};

/** A process that has no catalog yet asks for a snapshot, and every process asks the feed; which one begins is chance. */
const CATALOG = 'following the feed, from a snapshot on';

/** A right in words. What is limited to some keys is one right, such as keeping the records of users. */
const rightOf = ({ action, resource, leadingKeys }: Permission): string =>
  resource === 'index feed' || leadingKeys?.join() === `${snapshotPrefix}*`
    ? CATALOG
    : leadingKeys
      ? `the ${resource} of ${leadingKeys.join(', ')}`
      : `${RIGHTS[action] ?? action} on ${resource}`;

const inWords = ({ action, resource, leadingKeys }: Permission): string =>
  `${action} on ${resource}${leadingKeys ? ` of ${leadingKeys.join(', ')}` : ''}`;

/** How a run's calls and the roles go together. */
export interface Comparison {
  /** How many rights there are, door by door. */
  readonly rights: number;
  /** Calls that no role allows: they would fail where it is deployed. */
  readonly refused: readonly string[];
  /** Rights that their door does not use, and actions that no door uses: they can be taken away. */
  readonly idle: readonly string[];
}

/**
 * Holds the calls of every door against the permissions of its role. A call is put down to the narrowest permission that
 * allows it: a wide one has to be needed for something that the narrow ones beside it do not allow.
 */
export const compare = (synthesized: Synthesized, callsByDoor: ReadonlyMap<string, readonly AwsCall[]>): Comparison => {
  const refused: string[] = [];
  const idle: string[] = [];
  const granted = new Set<string>();
  const used = new Set<string>();
  let rights = 0;
  for (const { id } of doors) {
    const permissions = permissionsOf(synthesized, id).toSorted(
      (a, b) => Number(a.leadingKeys === undefined) - Number(b.leadingKeys === undefined),
    );
    const usedHere = new Set<string>();
    for (const call of callsByDoor.get(id) ?? []) {
      const permission = permissions.find((one) => permits(one, call));
      if (permission) {
        used.add(inWords(permission));
        usedHere.add(rightOf(permission));
      } else refused.push(`${id}: ${call.action} on ${call.resource} of ${call.leadingKey ?? 'no key'}`);
    }
    for (const one of permissions) granted.add(inWords(one));
    const own = new Set(permissions.map(rightOf));
    rights += own.size;
    for (const right of own) if (!usedHere.has(right)) idle.push(`${id}: ${right}`);
  }
  idle.push(...[...granted].filter((words) => !used.has(words)).map((words) => `no door: ${words}`));
  return { rights, refused: refused.toSorted(), idle: idle.toSorted() };
};
