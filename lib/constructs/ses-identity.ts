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
import { removalPolicyOnceDeployed } from '#lib/config/removal.ts';
import type { Config } from '#lib/config/schema.ts';

/**
 * The SES configuration set and identity. The configuration set reports bounces and complaints to the default bus, the
 * only bus that SES supports, and SES suppresses addresses that bounced. The identity sends once it is verified, by DNS
 * records for a domain or by a link for an address. It is in the data stack and retained with the data because
 * verification is manual and an account can have only one identity of a name: any other stack could not be recreated.
 */
export class SesIdentity extends Construct {
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
    // The identity names the configuration set, and sending fails when it names a deleted one: both are kept or deleted.
    this.configurationSet.applyRemovalPolicy(removalPolicyOnceDeployed(config));
    const isAddress = mail.identity.includes('@');
    const identity = new EmailIdentity(this, 'Identity', {
      identity: isAddress ? Identity.email(mail.identity) : Identity.domain(mail.identity),
      // Applies the configuration set to mail of other senders too, such as the user pool.
      configurationSet: this.configurationSet,
    });
    identity.applyRemovalPolicy(removalPolicyOnceDeployed(config));
  }
}
