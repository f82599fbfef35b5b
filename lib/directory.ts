import { Stack } from 'aws-cdk-lib';
import type { IUserPool } from 'aws-cdk-lib/aws-cognito';
import type { TableV2 } from 'aws-cdk-lib/aws-dynamodb';
import type { EventBus } from 'aws-cdk-lib/aws-events';
import { Construct } from 'constructs';
import type { StageOverrides } from '#lib/config/schema.ts';
import cdk from '../cdk.json' with { type: 'json' };
import { parseSettings } from './config.ts';
import { stacksOf } from './stacks.ts';

/** The settings of a stage. Absent ones have the values of a sandbox, see `standard` in `stages.ts`. */
export interface DirectorySettings extends StageOverrides {
  /** Distinguishes the directories of one account and region; the stacks are named after it: `directory-<stage>-api`. */
  readonly stage: string;
}

/**
 * The whole service as a part of another CDK app: a data, an events and an api stack. In an `App` or a `Stage` they are
 * deployed to its environment; in a `Stack` they are stacks of their own beside it, in its environment.
 */
export class Directory extends Construct {
  /** The stacks, in the order of their deployment. Only `data` has state. */
  readonly stacks: { readonly data: Stack; readonly events: Stack; readonly api: Stack };
  readonly table: TableV2;
  /** Receives every event of the service; `docs/events.md` lists them. */
  readonly bus: EventBus;
  /** Undefined for a stage with an issuer of its own. */
  readonly userPool: IUserPool | undefined;
  /** The address of the API, without a trailing slash. */
  readonly url: string;
  /** The address of the API for clients with an API key, without a trailing slash. */
  readonly keyedUrl: string;

  /** @throws Error that lists every invalid setting. */
  constructor(scope: Construct, id: string, { stage, ...settings }: DirectorySettings) {
    super(scope, id);
    // The templates are tested with these feature flags; those of the surrounding app may differ.
    for (const [flag, value] of Object.entries(cdk.context)) this.node.setContext(flag, value);
    const surrounding = this.node.scopes.find((one) => Stack.isStack(one));
    const env = surrounding && { account: surrounding.account, region: surrounding.region };
    const { data, events, api } = stacksOf(this, parseSettings(stage, settings), env);
    this.stacks = { data, events, api };
    this.table = data.table;
    this.bus = events.bus;
    this.userPool = data.userPool;
    this.url = api.url;
    this.keyedUrl = api.keyedUrl;
  }
}
