import { Duration } from 'aws-cdk-lib';
import { Archive, type EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { SOURCE } from '#events/catalogue.ts';

/**
 * Keeps what everybody is told, so that it can be told again. Tasks are not kept: what one of them was to clear away may have been
 * made again since.
 */
export const busArchive = (scope: Construct, bus: EventBus, days: number): Archive =>
  new Archive(scope, 'Archive', {
    sourceEventBus: bus,
    description: 'The events of the bus, for replays.',
    eventPattern: { source: [SOURCE] },
    retention: Duration.days(days),
  });
