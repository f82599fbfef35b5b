import { Duration } from 'aws-cdk-lib';
import { Archive, type EventBus } from 'aws-cdk-lib/aws-events';
import type { Construct } from 'constructs';
import { SOURCE } from '#events/catalogue.ts';
import type { Config } from '../config.ts';
import { nameOfItsOwn } from './addresses.ts';

/**
 * Keeps what everybody is told, so that it can be told again. Tasks are not kept: what one of them was to clear away may have been
 * made again since.
 */
export const busArchive = (scope: Construct, bus: EventBus, config: Config, days: number): Archive =>
  new Archive(scope, 'Archive', {
    // One that is made of the stack's name and the construct's would be longer than archives may have.
    archiveName: nameOfItsOwn(config),
    sourceEventBus: bus,
    description: 'The events of the bus, for replays.',
    eventPattern: { source: [SOURCE] },
    retention: Duration.days(days),
  });
