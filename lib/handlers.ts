import { eventKinds } from '#contract/events.ts';
import { type Entity, isAudited, type Permission, type Route } from '#contract/route.ts';
import { handlerFileOf, handlerIdOf, routes } from '#contract/table.ts';
import type { WrittenEntity } from '#data/entities.ts';
import { mailFeedback, type Subscription, subscriptions } from '#events/subscriptions.ts';

/**
 * The permissions of a function: those that routes and subscriptions declare, and those of the middleware. `rate`: count
 * requests. `identity`: verify tokens and API keys, and store the record of the user. `job`: read the secret of jobs and
 * record their runs. `signature`: read the signing secret of the payment provider.
 */
export type FunctionPermission = Permission | 'rate' | 'identity' | 'job' | 'signature';

/** A Lambda function of the service. */
export interface HandlerFile {
  /** `domain.action` */
  readonly id: string;
  /** What invokes it; used in messages. */
  readonly kind: 'route' | 'subscription' | 'publisher' | 'trigger';
  /** The path under `functions/`, without extension. */
  readonly path: string;
  readonly permissions: readonly FunctionPermission[];
  /** The declared entities, and those that are written without a declaration. */
  readonly writes: readonly WrittenEntity[];
  /** In stages that reserve it. */
  readonly reservedConcurrency?: number | undefined;
}

interface Declaration {
  readonly permissions: readonly Permission[];
  readonly writes?: readonly Entity[];
  readonly reservedConcurrency?: number;
}

const permissionsOf = ({ permissions, tier, auth }: Route): readonly FunctionPermission[] => [
  ...permissions,
  ...(tier === 'none' ? [] : (['rate'] as const)),
  ...(auth === 'user' || auth === 'admin' || auth === 'optional' ? (['identity'] as const) : []),
  ...(auth === 'cron' ? (['job'] as const) : []),
  ...(auth === 'signature' ? (['signature'] as const) : []),
];

/** Every mail has a deduplication record. */
const writesOf = ({ permissions, writes = [] }: Declaration): readonly WrittenEntity[] => [
  ...writes,
  ...(permissions.includes('mail') ? (['deduplication'] as const) : []),
];

const handlerFile = (
  kind: HandlerFile['kind'],
  id: string,
  declared: Declaration,
  derived: Partial<Pick<HandlerFile, 'permissions' | 'writes'>> = {},
): HandlerFile => ({
  id,
  kind,
  path: handlerFileOf(id),
  permissions: derived.permissions ?? declared.permissions,
  writes: [...new Set([...writesOf(declared), ...(derived.writes ?? [])])],
  reservedConcurrency: declared.reservedConcurrency,
});

const ofRoute = (route: Route): HandlerFile =>
  handlerFile('route', handlerIdOf(route), route, {
    permissions: permissionsOf(route),
    writes: [
      ...(isAudited(route) && route.writes !== undefined ? (['audit'] as const) : []),
      ...(route.idempotent ? (['idempotency'] as const) : []),
    ],
  });

const ofSubscription = (subscription: Subscription): HandlerFile =>
  handlerFile('subscription', subscription.id, subscription, {
    // The results of tasks are not recorded.
    writes: subscription.kinds.some((kind) => kind in eventKinds) ? ['event-outcomes'] : [],
  });

/** Publishes outbox events to the bus; invoked by the table’s stream. */
export const publisher = handlerFile('publisher', 'events.publish', { permissions: ['stream', 'bus'] });

/** Adds claims to access tokens; invoked by the user pool, if the stage has one. */
export const claimsTrigger = handlerFile('trigger', 'identity.addClaims', { permissions: [] });

/** Every function that is bundled and deployed. Routes with the same handler share one. */
export const handlerFiles: readonly HandlerFile[] = [
  ...new Map(routes.map((route) => [handlerIdOf(route), ofRoute(route)])).values(),
  ...subscriptions.map(ofSubscription),
  publisher,
  claimsTrigger,
  handlerFile('trigger', mailFeedback.id, mailFeedback),
];

/** @throws Error for an id without a handler. */
export const handlerFileWith = (id: string): HandlerFile => {
  const found = handlerFiles.find((one) => one.id === id);
  if (!found) throw new Error(`There is no handler with the id ${id}.`);
  return found;
};

/** Converts an id to a construct id: `projects.exportCsv` becomes `ProjectsExportCsv`. */
export const constructIdOf = (id: string): string =>
  id
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
