import { freshBundles } from '#lib/bundle.ts';
import { LOCAL_AUDIENCE } from '#local/issuer.ts';
import { startTestServer, type TestServer } from '#test/support/server.ts';
import { type Aws, serveAws } from './aws.ts';
import { variablesOf } from './deployment.ts';
import { type IsolatedHandlers, isolatedHandlers } from './isolated-handlers.ts';

/** Secrets by parameter name, without the key of the local payment provider, which each server chooses. */
const PARAMETERS = {
  '/directory/dev/cron-secret': 'a secret of the bundle tests',
  '/directory/dev/stripe/webhook-secret': 'whsec_local',
  '/directory/dev/unsubscribe-secret': '0f'.repeat(32),
};

/** The shared secret of jobs. */
export const CRON_SECRET = PARAMETERS['/directory/dev/cron-secret'];

/** The response of the model. */
export const MODEL_TEXT = '["fast", "open source"]';

/** A local server whose handlers are the bundles, each run in a separate process with the role of its function. */
export interface BundleFixture {
  readonly server: TestServer;
  readonly aws: Aws;
  readonly isolated: IsolatedHandlers;
  stop(): Promise<void>;
}

/** Only the function that answers the key has it: with it, subscribers would call search engines. */
const indexNow = { INDEXNOW_KEY: 'indexnow-key' } as const;

/** Updates the bundles and starts the server. */
export const startBundleFixture = async (): Promise<BundleFixture> => {
  await freshBundles();
  let stage: Readonly<Record<string, string>> = {};
  let server: TestServer | undefined;
  const isolated = isolatedHandlers((handler) => {
    if (!server) throw new Error('A handler was invoked before the server started.');
    const { tableName, url } = server.server;
    const values = { tableName, busName: 'directory', issuer: `${url}/_local`, audience: LOCAL_AUDIENCE };
    return { ...variablesOf(handler, values), ...stage, ...(handler === 'feeds.readLlms' && indexNow) };
  });
  server = await startTestServer({ importHandler: isolated.importHandler });
  const {
    AWS_ENDPOINT_URL_EVENTBRIDGE: events,
    AWS_ENDPOINT_URL_SES: ses,
    AWS_ENDPOINT_URL_KMS: kms,
    STRIPE_API_BASE,
    STRIPE_SECRET_KEY,
    RATE_COUNTER_TIMEOUT_MS,
    TABLE_TIMEOUT_MS,
  } = process.env;
  const aws = await serveAws({
    dynamodb: server.server.databaseEndpoint,
    events: String(events),
    ses: String(ses),
    kms: String(kms),
    parameters: { ...PARAMETERS, '/directory/dev/stripe/secret-key': String(STRIPE_SECRET_KEY) },
    modelText: MODEL_TEXT,
  });
  // Endpoints of the local services, and the server's timeouts.
  stage = {
    LIVE_EDITS: 'review',
    AWS_ENDPOINT_URL: aws.url,
    AWS_ENDPOINT_URL_BEDROCK_RUNTIME: aws.modelUrl,
    STRIPE_API_BASE: String(STRIPE_API_BASE),
    WEBHOOK_ALLOW_PRIVATE: 'on',
    RATE_COUNTER_TIMEOUT_MS: String(RATE_COUNTER_TIMEOUT_MS),
    TABLE_TIMEOUT_MS: String(TABLE_TIMEOUT_MS),
  };
  const started = server;
  return {
    server,
    aws,
    isolated,
    stop: async () => {
      await started.stop();
      await aws.stop();
      isolated.remove();
    },
  };
};
