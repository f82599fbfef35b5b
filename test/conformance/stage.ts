import { type Feature, features } from '#contract/route.ts';
import type { SiteSettings } from '#contract/settings.ts';
import { seed } from '#local/seed.ts';
import { clientOf } from '#test/support/client.ts';
import { dataOf, type Person, subjectOf, unique } from '#test/support/fixtures.ts';
import { startTestServer } from '#test/support/server.ts';
import { type TidyClient, tidyClient } from './tidy-client.ts';
import { variables } from './variables.ts';

/** The target of the suite: a deployment, or a local test server when no URL is set. */
export interface Stage {
  readonly client: TidyClient;
  /** Allowed CORS origins; empty when unknown. */
  readonly origins: readonly string[];
  readonly isOn: (feature: Feature) => boolean;
  /** Closes connections and the local server. It does not delete data, see `TidyClient`. */
  close(): Promise<void>;
}

/** The users of the suite. */
export interface People {
  readonly admin: Person;
  readonly user: Person;
  readonly other: Person;
}

/** Request timeout: the gateway timeout and network latency. */
const TIMEOUT_MS = 35_000;

const ORIGIN = 'https://conformance.example.com';

const given = (name: keyof typeof variables): string | undefined => process.env[variables[name]] || undefined;

const openTarget = async (): Promise<{
  client: TidyClient;
  origins: readonly string[];
  close: () => Promise<void>;
}> => {
  const url = given('url');
  if (url === undefined) {
    const server = await startTestServer({ env: { ALLOWED_ORIGINS: ORIGIN }, seed });
    return { client: tidyClient(server), origins: [ORIGIN], close: () => server.stop() };
  }
  const client = clientOf(url, { timeoutMs: TIMEOUT_MS });
  return {
    client: tidyClient(client),
    origins: given('origins')?.split(',') ?? [],
    close: async () => client.close(),
  };
};

/** Opens the target that the environment names. */
export const openStage = async (): Promise<Stage> => {
  const target = await openTarget();
  const enabled = dataOf<SiteSettings>(await target.client.call('GET', '/api/settings')).features;
  const on = new Set<Feature>(features.filter((feature) => enabled.includes(feature)));
  return { ...target, isOn: (feature) => on.has(feature) };
};

/** The users of a stage. @throws Error when a token is missing. */
export const peopleOf = async ({ client }: Stage): Promise<People> => {
  const personWith = async (role: keyof People): Promise<Person> => {
    const name = unique(role);
    const email = `${name}@example.com`;
    const issue = () => client.token({ email, name, admin: role === 'admin' });
    const token = given('url') === undefined ? await issue() : given(role);
    if (token === undefined) throw new Error(`${variables[role]} is not set.`);
    return { id: subjectOf(token), email, name, token };
  };
  return { admin: await personWith('admin'), user: await personWith('user'), other: await personWith('other') };
};
