import { expect } from 'vitest';
import type { Feature, Route } from '#contract/route.ts';
import type { Client } from './client.ts';
import { category, Directory, dataOf, type Person, submission, unique } from './fixtures.ts';
import { startPremium } from './payments.ts';
import { pathOf } from './requests.ts';

/** A directory with one of everything, all of it an administrator's own, so that no route fails for want of its thing. */
export interface Furnished {
  readonly directory: Directory;
  readonly admin: Person;
  /** The path of a route with the things of this directory in it. */
  pathOf(route: Route): string;
  /** Whether everything that the path of a route names is there. */
  has(route: Route): boolean;
}

/** How much there is to be, where it is not everything. */
export interface Furnishing {
  /** An administrator whom there is already. */
  readonly admin?: Person;
  /** Switched-off features have no things. */
  readonly isOn?: (feature: Feature) => boolean;
  /**
   * Nothing may reach the world outside: no payment page, and no webhook that is told anything. There is then no checkout and
   * no delivery.
   */
  readonly secluded?: boolean;
}

const made = async (directory: Directory, path: string, body: unknown): Promise<string> => {
  const answer = await directory.as(directory.admin, 'POST', path, body);
  expect(answer).toMatchObject({ status: 201 });
  return dataOf<{ id: string }>(answer).id;
};

const webhookOf = async (directory: Directory, secluded: boolean): Promise<Record<string, string>> => {
  const webhook = await made(directory, '/api/admin/webhooks', {
    url: secluded ? `https://${unique('webhook')}.example.com/nobody` : 'http://127.0.0.1:9/nobody',
    kinds: ['projectSubmitted'],
    is_active: !secluded,
  });
  if (secluded) return { webhook };
  const ping = await directory.done('POST', `/api/admin/webhooks/${webhook}/test`);
  return { webhook, delivery: dataOf<{ id: string }>(ping).id };
};

/** Puts one of everything into a world. Unless it is secluded, its webhooks must be allowed to go to this machine. */
export const furnish = async (
  world: Client,
  { admin: known, isOn = () => true, secluded = false }: Furnishing = {},
): Promise<Furnished> => {
  const directory = await Directory.open(world, known);
  const { admin } = directory;
  const { id: project } = await directory.live(admin);
  const values: Record<string, string> = {
    project,
    user: admin.id,
    ...(isOn('webhooks') && (await webhookOf(directory, secluded))),
    category: await made(directory, '/api/admin/categories', category()),
    ...(isOn('comments') && {
      comment: await made(directory, `/api/projects/${project}/comments`, { content: 'First.' }),
    }),
    report: await made(directory, `/api/projects/${project}/report`, { reason: 'To try it out.' }),
    ...(isOn('promotions') && {
      promotion: await made(directory, '/api/admin/promotions', {
        project_id: project,
        placements: ['catalog'],
        days: 9,
      }),
    }),
    ...(!secluded && { checkout: (await startPremium(directory, admin)).checkout_id }),
  };
  return {
    directory,
    admin,
    pathOf: (route) => pathOf(route, values),
    has: ({ path }) => [...path.matchAll(/\{(\w+)\}/g)].every(([, name = '']) => Object.hasOwn(values, name)),
  };
};

/** A valid body of the routes under `Idempotency-Key`, none like the other. */
export const purchaseOf = async (directory: Directory, route: Route): Promise<Record<string, unknown>> => {
  if (route.id === 'projects.submit') return submission({ categories: [directory.category] });
  if (route.id !== 'payments.startCheckout')
    throw new Error(`Say in test/support/furnished.ts what ${route.id} takes.`);
  return { kind: 'upgrade', project_id: (await directory.live(directory.admin)).id };
};
