import { Duration } from 'aws-cdk-lib';
import { Archive, type EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { SOURCE } from '#events/catalogue.ts';
import type { Config } from '#lib/config/schema.ts';
import { uniqueName } from './names.ts';

/**
 * Archives domain events for replay. Commands (tasks) are not archived: the data that one of them deletes may have been
 * created again since.
 */
export const busArchive = (scope: Construct, bus: EventBus, config: Config, days: number): Archive =>
  new Archive(scope, 'Archive', {
    // The default name, from stack and construct, can exceed the maximum length.
    archiveName: uniqueName(config),
    sourceEventBus: bus,
    description: 'The events of the bus, for replays.',
    eventPattern: { source: [SOURCE] },
    retention: Duration.days(days),
  });
