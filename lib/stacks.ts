import type { App } from 'aws-cdk-lib';
import { ApiStack } from './api-stack.ts';
import type { Config } from './config.ts';
import { AlarmTopic } from './constructs/alarm-topic.ts';
import { refusePlaceholders } from './constructs/placeholders.ts';
import { StageDashboard } from './constructs/stage-dashboard.ts';
import { sourcesIn } from './dashboard/sources.ts';
import { DataStack } from './data-stack.ts';
import { EventsStack } from './events-stack.ts';

/** The three stacks of a stage. They name no account or region: those are the ones of whoever deploys. */
export const stacksOf = (app: App, config: Config) => {
  const common = { terminationProtection: config.protect, tags: { service: 'directory', stage: config.stage } };
  const name = (part: string) => `directory-${config.stage}-${part}`;
  const data = new DataStack(app, name('data'), {
    ...common,
    config,
    description: 'Directory: table, users and sender.',
  });
  const { table, tableKey, issuer, mailings } = data;
  const known = { config, table, tableKey, issuer, mailings };
  const events = new EventsStack(app, name('events'), {
    ...common,
    world: known,
    description: 'Directory: bus, publisher, subscribers and jobs.',
  });
  const api = new ApiStack(app, name('api'), {
    ...common,
    world: { ...known, bus: events.bus },
    jobs: events.jobs,
    // The gateways' documents are long, and indentation counts towards the size that CloudFormation takes.
    suppressTemplateIndentation: true,
    description: 'Directory: gateways and the functions of routes.',
  });
  // The first to be deployed: nothing is half there when it is refused.
  refusePlaceholders(data, config);
  // What watches comes last, when everything is there that can be watched.
  new StageDashboard(api, 'Dashboard', sourcesIn([data, events, api], { config, table }));
  if (config.alarms.email !== undefined) {
    new AlarmTopic(data, 'AlarmTopic', config.alarms.email).listenTo(data, events, api);
  }
  return { data, events, api };
};
