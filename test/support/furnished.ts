import { expect } from 'vitest';
import type { Route } from '#contract/route.ts';
import { category, Directory, dataOf, type Person, submission } from './fixtures.ts';
import { startPremium } from './payments.ts';
import { pathOf } from './requests.ts';
import type { TestWorld } from './world.ts';

/** A directory with one of everything, all of it an administrator's own, so that no route fails for want of its thing. */
export interface Furnished {
  readonly directory: Directory;
  readonly admin: Person;
  /** The path of a route with the things of this directory in it. */
  pathOf(route: Route): string;
}

const made = async (directory: Directory, path: string, body: unknown): Promise<string> => {
  const answer = await directory.as(directory.admin, 'POST', path, body);
  expect(answer).toMatchObject({ status: 201 });
  return dataOf<{ id: string }>(answer).id;
};

/** Puts one of everything into a world. Its webhooks must be allowed to go to this machine. */
export const furnish = async (world: TestWorld): Promise<Furnished> => {
  const directory = await Directory.open(world);
  const { admin } = directory;
  const { id: project } = await directory.live(admin);
  const webhook = await made(directory, '/api/admin/webhooks', {
    url: 'http://127.0.0.1:9/nobody',
    kinds: ['projectSubmitted'],
  });
  const ping = await directory.done('POST', `/api/admin/webhooks/${webhook}/test`);
  const values = {
    project,
    webhook,
    delivery: dataOf<{ id: string }>(ping).id,
    user: admin.id,
    category: await made(directory, '/api/admin/categories', category()),
    comment: await made(directory, `/api/projects/${project}/comments`, { content: 'First.' }),
    report: await made(directory, `/api/projects/${project}/report`, { reason: 'To try it out.' }),
    promotion: await made(directory, '/api/admin/promotions', {
      project_id: project,
      placements: ['catalog'],
      days: 9,
    }),
    checkout: (await startPremium(directory, admin)).checkout_id,
  };
  return { directory, admin, pathOf: (route) => pathOf(route, values) };
};

/** A valid body of the routes under `Idempotency-Key`, none like the other. */
export const purchaseOf = async (directory: Directory, route: Route): Promise<Record<string, unknown>> => {
  if (route.id === 'projects.submit') return submission({ categories: [directory.category] });
  if (route.id !== 'payments.startCheckout')
    throw new Error(`Say in test/support/furnished.ts what ${route.id} takes.`);
  return { kind: 'upgrade', project_id: (await directory.live(directory.admin)).id };
};
