import { EventBus } from 'aws-cdk-lib/aws-events';
import {
  ConfigurationSet,
  EmailIdentity,
  EmailSendingEvent,
  EventDestination,
  Identity,
  SuppressionReasons,
} from 'aws-cdk-lib/aws-ses';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';
import { removalOnceDeployed } from './removal.ts';

/**
 * What mail is sent with and as. The configuration set tells the account's default bus, the only one that SES knows, what came
 * back; SES itself also keeps from addresses that are known not to take mail. The identity sends once its owner has confirmed it: by DNS records for a domain,
 * by a mail for an address. It is retained where data is, because confirming again takes a person, and so it stands where
 * data does: the account has only one of its name, and a stack that leaves it behind could not be made again.
 */
export class Sender extends Construct {
  readonly configurationSet: ConfigurationSet;

  constructor(scope: Construct, id: string, config: Config) {
    super(scope, id);
    const { mail } = config;
    this.configurationSet = new ConfigurationSet(this, 'Mailings', {
      reputationMetrics: true,
      suppressionReasons: SuppressionReasons.BOUNCES_AND_COMPLAINTS,
    });
    this.configurationSet.addEventDestination('Returns', {
      destination: EventDestination.eventBus(EventBus.fromEventBusName(this, 'DefaultBus', 'default')),
      events: [EmailSendingEvent.BOUNCE, EmailSendingEvent.COMPLAINT],
    });
    if (!mail.createIdentity) return;
    const isAddress = mail.identity.includes('@');
    const identity = new EmailIdentity(this, 'Identity', {
      identity: isAddress ? Identity.email(mail.identity) : Identity.domain(mail.identity),
      // So that what somebody else sends as it, such as the user pool, is told of as well.
      configurationSet: this.configurationSet,
    });
    identity.applyRemovalPolicy(removalOnceDeployed(config));
  }
}
