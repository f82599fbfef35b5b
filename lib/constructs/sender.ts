import { RemovalPolicy } from 'aws-cdk-lib';
import { EmailIdentity, Identity } from 'aws-cdk-lib/aws-ses';
import type { Construct } from 'constructs';
import type { Config } from '../config.ts';

/**
 * The identity that mail is sent as. SES sends once its owner has confirmed it: by DNS records for a domain, by a mail
 * for an address. It is retained where data is, because confirming again takes a person.
 */
export const senderIdentity = (scope: Construct, { mail, retain }: Config): EmailIdentity | undefined => {
  if (!mail.createIdentity) return undefined;
  const isAddress = mail.identity.includes('@');
  const identity = new EmailIdentity(scope, 'Sender', {
    identity: isAddress ? Identity.email(mail.identity) : Identity.domain(mail.identity),
  });
  identity.applyRemovalPolicy(retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY);
  return identity;
};
