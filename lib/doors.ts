import type { Need } from '#contract/route.ts';
import { doorIdOf, doorOf, routes } from '#contract/table.ts';
import { mailReturns } from '#events/mail-returns.ts';
import { subscriptions } from '#events/subscriptions.ts';

/** One function of the service: where its code begins and what it may touch. */
export interface Door {
  /** `domain.verbObject`. */
  readonly id: string;
  /** What stands behind it, for messages: a route, a subscription. */
  readonly kind: 'route' | 'subscription' | 'publisher' | 'trigger';
  /** The file under `functions/`, without its ending. */
  readonly path: string;
  readonly needs: readonly Need[];
}

/** Puts what the outbox has got on the bus; started by the table's stream. */
export const publisher = { id: 'events.publish', needs: ['stream', 'bus'] } as const satisfies Pick<
  Door,
  'id' | 'needs'
>;

/** Adds claims to access tokens; started by the user pool, where the stage has one. */
export const claimsTrigger = { id: 'identity.addClaims', needs: [] } as const satisfies Pick<Door, 'id' | 'needs'>;

const door =
  (kind: Door['kind']) =>
  (declared: Pick<Door, 'id' | 'needs'>): Door => ({
    id: declared.id,
    kind,
    path: doorOf(declared.id),
    needs: declared.needs,
  });

/** Routes that share a door have one function. */
const opened = new Map(routes.map((route) => [doorIdOf(route), { id: doorIdOf(route), needs: route.needs }]));

/** Every function that is bundled and deployed. */
export const doors: readonly Door[] = [
  ...[...opened.values()].map(door('route')),
  ...subscriptions.map(door('subscription')),
  door('publisher')(publisher),
  door('trigger')(claimsTrigger),
  door('trigger')(mailReturns),
];

/** The id of a route or subscription as a construct's name: `projects.exportCsv` is `ProjectsExportCsv`. */
export const constructIdOf = (id: string): string =>
  id
    .split('.')
    .map((part) => part.charAt(0).toUpperCase() + part.slice(1))
    .join('');
