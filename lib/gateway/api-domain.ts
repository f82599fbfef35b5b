import { DomainName } from 'aws-cdk-lib/aws-apigateway';
import { Certificate, CertificateValidation, type ICertificate } from 'aws-cdk-lib/aws-certificatemanager';
import { ARecord, HostedZone, type IHostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { ApiGatewayDomain } from 'aws-cdk-lib/aws-route53-targets';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Config } from '#lib/config/schema.ts';
import { transportOf } from '#lib/gateway/transport.ts';
import type { Gateway } from './gateway.ts';

type Domain = NonNullable<Config['api']['domain']>;

interface ApiDomainProps {
  readonly config: Config;
  readonly domain: Domain;
  /** The gateway without API keys. */
  readonly open: Gateway;
  /** The gateway that requires API keys; it keeps its default address when the stage has no second name. */
  readonly keyed: Gateway;
}

/** Custom domain names of the gateways, with certificate and DNS records. */
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
    this.#addName('Open', config, domain.name, open);
    if (domain.keyedName !== undefined) this.#addName('Keyed', config, domain.keyedName, keyed);
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

  #addName(id: string, config: Config, domainName: string, gateway: Gateway): void {
    const named = new DomainName(this, id, { domainName, certificate: this.#certificate, ...transportOf(config) });
    named.addBasePathMapping(gateway.api, { stage: gateway.deploymentStage });
    if (this.#zone === undefined) return;
    new ARecord(this, `${id}Record`, {
      zone: this.#zone,
      recordName: `${domainName}.`,
      target: RecordTarget.fromAlias(new ApiGatewayDomain(named)),
    });
  }
}
