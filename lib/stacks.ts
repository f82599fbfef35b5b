import type { Environment } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { rejectExampleValues } from '#lib/config/example-values.ts';
import type { Config } from '#lib/config/schema.ts';
import { AlarmTopic } from '#lib/constructs/alarm-topic.ts';
import { inputsIn } from '#lib/dashboard/inputs.ts';
import { StageDashboard } from '#lib/dashboard/stage-dashboard.ts';
import { ApiStack } from './api-stack.ts';
import { DataStack } from './data-stack.ts';
import { EventsStack } from './events-stack.ts';

/**
 * The three stacks of a stage.
 * @param env their account and region; when absent those of the CDK stage around the scope, or else of the deployment.
 */
export const stacksOf = (scope: Construct, config: Config, env?: Environment) => {
  const name = (part: string) => `directory-${config.stage}-${part}`;
  const common = (part: string) => ({
    // A name of its own is not prefixed with the path of the scope.
    stackName: name(part),
    // Indentation counts towards the template size limit.
    suppressTemplateIndentation: true,
    terminationProtection: config.protect,
    tags: { service: 'directory', stage: config.stage },
    ...(env && { env }),
  });
  const data = new DataStack(scope, name('data'), {
    ...common('data'),
    config,
    description: 'Directory: table, users and sender.',
  });
  const events = new EventsStack(scope, name('events'), {
    ...common('events'),
    data,
    description: 'Directory: bus, publisher, subscribers and jobs.',
  });
  const api = new ApiStack(scope, name('api'), {
    ...common('api'),
    data,
    events,
    description: 'Directory: gateways and the functions of routes.',
  });
  // The data stack is deployed first, so a rejected deployment changes nothing.
  rejectExampleValues(data, config);
  // The dashboard and the alarm topic read the constructs of all stacks.
  new StageDashboard(api, 'Dashboard', inputsIn([data, events, api], { config, table: data.table }));
  if (config.alarms.email !== undefined) {
    new AlarmTopic(data, 'AlarmTopic', config, config.alarms.email).subscribeAlarmsOf(data, events, api);
  }
  return { data, events, api };
};
