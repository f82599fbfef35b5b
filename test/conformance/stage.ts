import { type Feature, features } from '#contract/route.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { seed } from '#local/seed.ts';
import { clientOf } from '#test/support/client.ts';
import { dataOf, type Person, subjectOf, unique } from '#test/support/fixtures.ts';
import { startTestWorld } from '#test/support/world.ts';
import { type TidyClient, tidyClient } from './tidy-client.ts';
import { variables } from './variables.ts';

/** The place that the suite runs against: a deployment, or a world of its own where none is named. */
export interface Stage {
  readonly client: TidyClient;
  /** Pages of these origins may call; empty where nobody has said. */
  readonly origins: readonly string[];
  readonly isOn: (feature: Feature) => boolean;
  /** Ends what was begun for the suite. What the suite has made is for whoever knows an administrator to take away. */
  close(): Promise<void>;
}

/** The people whom the suite calls as. */
export interface People {
  readonly admin: Person;
  readonly user: Person;
  readonly other: Person;
}

/** An answer takes at most as long as a gateway waits for one, and its way. */
const ANSWER_MS = 35_000;

const ORIGIN = 'https://conformance.example.com';

const given = (name: keyof typeof variables): string | undefined => process.env[variables[name]] || undefined;

const openPlace = async (): Promise<{ client: TidyClient; origins: readonly string[]; close: () => Promise<void> }> => {
  const url = given('url');
  if (url === undefined) {
    const world = await startTestWorld({ env: { ALLOWED_ORIGINS: ORIGIN }, seed });
    return { client: tidyClient(world), origins: [ORIGIN], close: () => world.stop() };
  }
  const client = clientOf(url, { timeoutMs: ANSWER_MS });
  return {
    client: tidyClient(client),
    origins: given('origins')?.split(',') ?? [],
    close: async () => client.close(),
  };
};

/** Opens the place that the environment names. */
export const openStage = async (): Promise<Stage> => {
  const place = await openPlace();
  const known = dataOf<SiteSettings>(await place.client.call('GET', '/api/settings')).features;
  const on = new Set<Feature>(features.filter((feature) => known.includes(feature)));
  return { ...place, isOn: (feature) => on.has(feature) };
};

/** The people of a stage. @throws where it was opened without their tokens. */
export const peopleOf = async ({ client }: Stage): Promise<People> => {
  const personWith = async (role: keyof People): Promise<Person> => {
    const name = unique(role);
    const email = `${name}@example.com`;
    const ask = () => client.token({ email, name, admin: role === 'admin' });
    const token = given('url') === undefined ? await ask() : given(role);
    if (token === undefined) throw new Error(`${variables[role]} is not set.`);
    return { id: subjectOf(token), email, name, token };
  };
  return { admin: await personWith('admin'), user: await personWith('user'), other: await personWith('other') };
};
