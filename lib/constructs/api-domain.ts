import { DomainName } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';
import { transportOf } from '../gateway/transport.ts';
import type { Gateway } from './gateway.ts';

type Domain = NonNullable<Config['api']['domain']>;

export interface ApiDomainProps {
  readonly config: Config;
  readonly domain: Domain;
  /** The gateway for everybody. */
  readonly open: Gateway;
  /** The gateway for clients with keys; it stays at its own address where the stage has no second name. */
  readonly keyed: Gateway;
}

/** Names of the stage's own in front of its gateways: one for everybody and perhaps one for clients with keys. */
export class ApiDomain extends Construct {
  readonly #zone: IHostedZone | undefined;
  readonly #certificate: ICertificate;

  constructor(scope: Construct, id: string, { config, domain, open, keyed }: ApiDomainProps) {
    super(scope, id);
    this.#zone =
      domain.hostedZone &&
      HostedZone.fromHostedZoneAttributes(this, 'Zone', {
        hostedZoneId: domain.hostedZone.id,
        zoneName: domain.hostedZone.name,
      });
    this.#certificate = this.#certificateOf(domain);
    this.#name('Open', config, domain.name, open);
    if (domain.keyedName !== undefined) this.#name('Keyed', config, domain.keyedName, keyed);
  }

  #certificateOf({ name, keyedName, certificateParameter }: Domain): ICertificate {
    if (certificateParameter !== undefined) {
      const arn = StringParameter.valueForStringParameter(this, certificateParameter);
      return Certificate.fromCertificateArn(this, 'Certificate', arn);
    }
    return new Certificate(this, 'Certificate', {
      domainName: name,
      ...(keyedName !== undefined && { subjectAlternativeNames: [keyedName] }),
      validation: CertificateValidation.fromDns(this.#zone),
    });
  }

  #name(id: string, config: Config, domainName: string, gateway: Gateway): void {
    const named = new DomainName(this, id, { domainName, certificate: this.#certificate, ...transportOf(config) });
    named.addBasePathMapping(gateway, { stage: gateway.deploymentStage });
    if (this.#zone === undefined) return;
    new ARecord(this, `${id}Record`, {
      zone: this.#zone,
      recordName: `${domainName}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(named)),
    });
  }
}
