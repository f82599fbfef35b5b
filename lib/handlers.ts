import type { Permission } from '#contract/route.ts';
import { handlerFileOf, handlerIdOf, routes } from '#contract/table.ts';
import { mailFeedback, subscriptions } from '#events/subscriptions.ts';

/** A Lambda function of the service. */
export interface HandlerFile {
  /** `domain.action` */
  readonly id: string;
  /** What invokes it; used in messages. */
  readonly kind: 'route' | 'subscription' | 'publisher' | 'trigger';
  /** The path under `functions/`, without extension. */
  readonly path: string;
  readonly permissions: readonly Permission[];
}

/** Publishes outbox events to the bus; invoked by the table’s stream. */
export const publisher = { id: 'events.publish', permissions: ['stream', 'bus'] } as const satisfies Pick<
  HandlerFile,
  'id' | 'permissions'
>;

/** Adds claims to access tokens; invoked by the user pool, if the stage has one. */
export const claimsTrigger = { id: 'identity.addClaims', permissions: [] } as const satisfies Pick<
  HandlerFile,
  'id' | 'permissions'
>;

const handlerFile =
  (kind: HandlerFile['kind']) =>
  (declared: Pick<HandlerFile, 'id' | 'permissions'>): HandlerFile => ({
    id: declared.id,
    kind,
    path: handlerFileOf(declared.id),
    permissions: declared.permissions,
  });

/** Routes with the same handler share one function. */
const routeHandlers = new Map(
  routes.map((route) => [handlerIdOf(route), { id: handlerIdOf(route), permissions: route.permissions }]),
);

/** Every function that is bundled and deployed. */
export const handlerFiles: readonly HandlerFile[] = [
  ...[...routeHandlers.values()].map(handlerFile('route')),
  ...subscriptions.map(handlerFile('subscription')),
  handlerFile('publisher')(publisher),
  handlerFile('trigger')(claimsTrigger),
  handlerFile('trigger')(mailFeedback),
];

/** Converts an id to a construct id: `projects.exportCsv` becomes `ProjectsExportCsv`. */
export const constructIdOf = (id: string): string =>
  id
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
