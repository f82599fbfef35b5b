import { freshBundles } from '#lib/bundle.ts';
import { LOCAL_AUDIENCE } from '#local/issuer.ts';
import { startTestWorld, type TestWorld } from '#test/support/world.ts';
import { type Aws, serveAws } from './aws.ts';
import { type BareDoors, bareDoors } from './bare-doors.ts';
import { variablesOf } from './deployment.ts';

/** What the stage's secrets are, by the names of their parameters. */
const PARAMETERS = {
  '/directory/dev/cron-secret': 'a secret of the rehearsal',
  '/directory/dev/stripe/secret-key': 'sk_test_local',
  '/directory/dev/stripe/webhook-secret': 'whsec_local',
};

/** What jobs are called with. */
export const CRON_SECRET = PARAMETERS['/directory/dev/cron-secret'];

/** What the model answers. */
export const WORDS = '["fast", "open source"]';

/** The single-machine world whose handlers are the bundles, each run in a bare process in the role of its function. */
export interface Rehearsal {
  readonly world: TestWorld;
  readonly aws: Aws;
  readonly bare: BareDoors;
  stop(): Promise<void>;
}

/** Bundles what has changed and starts the rehearsal. */
export const startRehearsal = async (): Promise<Rehearsal> => {
  await freshBundles();
  let stage: Readonly<Record<string, string>> = {};
  let world: TestWorld | undefined;
  const bare = bareDoors((door) => {
    if (!world) throw new Error('A door is opened before there is a world.');
    const { tableName, url } = world.world;
    const places = { tableName, busName: 'directory', issuer: `${url}/_local`, audience: LOCAL_AUDIENCE };
    return { ...variablesOf(door, places), ...stage };
  });
  world = await startTestWorld({ importDoor: bare.importDoor });
  const { AWS_ENDPOINT_URL_EVENTBRIDGE: events, AWS_ENDPOINT_URL_SES: ses, STRIPE_API_BASE } = process.env;
  const aws = await serveAws({
    dynamodb: world.world.databaseEndpoint,
    events: String(events),
    ses: String(ses),
    parameters: PARAMETERS,
    words: WORDS,
  });
  // What leads to the stand-ins of this machine.
  stage = {
    AWS_ENDPOINT_URL: aws.url,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: aws.modelUrl,
    STRIPE_API_BASE: String(STRIPE_API_BASE),
    WEBHOOK_ALLOW_PRIVATE: 'on',
  };
  const started = world;
  return {
    world,
    aws,
    bare,
    stop: async () => {
      await started.stop();
      await aws.stop();
      bare.remove();
    },
  };
};
