import type { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import type { Config } from './config.ts';
import { DataStack } from './data-stack.ts';
import { EventsStack } from './events-stack.ts';

/** The three stacks of a stage. They name no account or region: those are the ones of whoever deploys. */
export const stacksOf = (app: App, config: Config) => {
  const common = { terminationProtection: config.protect, tags: { service: 'directory', stage: config.stage } };
  const name = (part: string) => `directory-${config.stage}-${part}`;
  const data = new DataStack(app, name('data'), { ...common, config, description: 'Directory: table and users.' });
  const { table, issuer } = data;
  const events = new EventsStack(app, name('events'), {
    ...common,
    world: { config, table, issuer },
    description: 'Directory: bus, publisher, subscribers and jobs.',
  });
  const api = new ApiStack(app, name('api'), {
    ...common,
    world: { config, table, issuer, bus: events.bus },
    jobs: events.jobs,
    // The gateways' documents are long, and indentation counts towards the size that CloudFormation takes.
    suppressTemplateIndentation: true,
    description: 'Directory: gateways and the functions of routes.',
  });
  return { data, events, api };
};
