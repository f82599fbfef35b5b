import { Aws, CfnOutput, Duration, Validations } from 'aws-cdk-lib';
import { ApiKey, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager';
import {
  AllowedMethods,
  type BehaviorOptions,
  CacheCookieBehavior,
  CacheHeaderBehavior,
  CachePolicy,
  CacheQueryStringBehavior,
  Distribution,
  HttpVersion,
  OriginProtocolPolicy,
  OriginRequestCookieBehavior,
  OriginRequestHeaderBehavior,
  OriginRequestPolicy,
  OriginRequestQueryStringBehavior,
  OriginSslPolicy,
  ResponseHeadersPolicy,
  SecurityPolicyProtocol,
  ViewerProtocolPolicy,
} from 'aws-cdk-lib/aws-cloudfront';
import { HttpOrigin } from 'aws-cdk-lib/aws-cloudfront-origins';
import { AaaaRecord, ARecord, HostedZone, RecordTarget } from 'aws-cdk-lib/aws-route53';
import { CloudFrontTarget } from 'aws-cdk-lib/aws-route53-targets';
import { Secret } from 'aws-cdk-lib/aws-secretsmanager';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import type { Config } from '#lib/config/schema.ts';
import type { Gateway } from './gateway.ts';

type Cdn = NonNullable<Config['site']['cdn']>;

interface CdnProps {
  readonly config: Config;
  readonly cdn: Cdn;
  readonly routes: readonly Route[];
  /** The gateway that requires API keys. */
  readonly keyed: Gateway;
}

/** Errors that CloudFront keeps for ten seconds unless a distribution states otherwise. */
const KEPT_ERRORS = [400, 403, 404, 405, 414, 416, 500, 501, 502, 503, 504];

/** The longest that an origin can be waited for without a higher quota, in seconds; imports take up to 30. */
const READ_TIMEOUT_SECONDS = 60;

const isPage = ({ id }: Route): boolean => id.startsWith('site.');

/** The patterns of all paths that are not pages or their files: `/mcp` and `/mcp/`, `/api/*`, `/*.txt`. */
const passedPaths = (routes: readonly Route[]): readonly string[] => {
  const patterns = routes
    .filter((route) => !isPage(route))
    .flatMap(({ path }) => {
      const [first, ...more] = path.slice(1).split('/');
      if (more.length > 0) return `/${first}/*`;
      const pattern = `/${first?.replace(/\{\w+\}/, '*')}`;
      return [pattern, `${pattern}/`];
    });
  return [...new Set(patterns)].sort();
};

/**
 * CloudFront in front of the pages and their files, which it keeps as long as their `Cache-Control` says. Every other path passes
 * uncached. It calls the gateway with an API key, so that its `X-Forwarded-For` is believed; that of other callers is not.
 */
export class PagesCdn extends Construct {
  constructor(scope: Construct, id: string, { config, cdn, routes, keyed }: CdnProps) {
    super(scope, id);
    const origin = this.#originOf(config, cdn, keyed);
    const { hostname } = new URL(config.site.url);
    const secured = { origin, viewerProtocolPolicy: ViewerProtocolPolicy.REDIRECT_TO_HTTPS };
    const passed: BehaviorOptions = {
      ...secured,
      allowedMethods: AllowedMethods.ALLOW_ALL,
      cachePolicy: CachePolicy.CACHING_DISABLED,
      originRequestPolicy: OriginRequestPolicy.ALL_VIEWER_EXCEPT_HOST_HEADER,
      // The gateway compresses.
      compress: false,
    };
    const pages: BehaviorOptions = {
      ...secured,
      // `OPTIONS` too: CloudFront answers other methods itself, with 403.
      allowedMethods: AllowedMethods.ALLOW_GET_HEAD_OPTIONS,
      cachePolicy: new CachePolicy(this, 'Cache', {
        comment: `Pages of stage ${config.stage}: by path and query only, as long as they say.`,
        minTtl: Duration.seconds(0),
        defaultTtl: Duration.seconds(0),
        maxTtl: Duration.days(365),
        queryStringBehavior: CacheQueryStringBehavior.all(),
        headerBehavior: CacheHeaderBehavior.none(),
        cookieBehavior: CacheCookieBehavior.none(),
        enableAcceptEncodingGzip: true,
        enableAcceptEncodingBrotli: true,
      }),
      originRequestPolicy: new OriginRequestPolicy(this, 'Request', {
        comment: `Pages of stage ${config.stage}: their bytes do not depend on the caller.`,
        // By it an error is a page or JSON; errors are not kept.
        headerBehavior: OriginRequestHeaderBehavior.allowList('Accept'),
        queryStringBehavior: OriginRequestQueryStringBehavior.none(),
        cookieBehavior: OriginRequestCookieBehavior.none(),
      }),
      responseHeadersPolicy: new ResponseHeadersPolicy(this, 'Response', {
        comment: `Pages of stage ${config.stage}: without what concerned the first caller only.`,
        removeHeaders: ['ratelimit', 'ratelimit-policy', 'x-request-id'],
      }),
      compress: true,
    };
    const distribution = new Distribution(this, 'Distribution', {
      comment: `Pages of stage ${config.stage}`,
      defaultBehavior: pages,
      additionalBehaviors: Object.fromEntries(passedPaths(routes).map((path) => [path, passed])),
      errorResponses: KEPT_ERRORS.map((httpStatus) => ({ httpStatus, ttl: Duration.seconds(0) })),
      httpVersion: HttpVersion.HTTP2_AND_3,
      ...(cdn.certificateParameter !== undefined && {
        domainNames: [hostname],
        minimumProtocolVersion: SecurityPolicyProtocol.TLS_V1_2_2025,
        certificate: Certificate.fromCertificateArn(this, 'Certificate', this.#parameter(cdn.certificateParameter)),
      }),
      ...(cdn.webAclParameter !== undefined && { webAclId: this.#parameter(cdn.webAclParameter) }),
    });
    this.#acknowledge(distribution, cdn);
    if (cdn.hostedZone) this.#addRecords(cdn.hostedZone, hostname, distribution);
    new CfnOutput(scope, 'PagesHost', { value: distribution.distributionDomainName });
  }

  #parameter(name: string): string {
    return StringParameter.valueForStringParameter(this, name);
  }

  /** The gateway, with a key whose value only Secrets Manager, the gateway and the distribution have. */
  #originOf(config: Config, { originKey }: Cdn, { api, deploymentStage: stage, domainName }: Gateway): HttpOrigin {
    const secret = new Secret(this, `OriginKey${originKey}Value`, {
      description: `The API key of CloudFront, stage ${config.stage}`,
      generateSecretString: { passwordLength: 64, excludePunctuation: true },
    });
    Validations.of(secret).acknowledge({
      id: 'AwsSolutions-SMG4',
      reason: 'Gateway and distribution must change together: raising site.cdn.originKey replaces the key.',
    });
    // Without limits of its own: the throttles of methods apply, and the rate tiers to each caller.
    const plan = new UsagePlan(this, 'Plan', {
      description: `CloudFront, stage ${config.stage}`,
      apiStages: [{ api: stage.restApi, stage }],
    });
    const value = secret.secretValue.unsafeUnwrap();
    plan.addApiKey(
      new ApiKey(this, `OriginKey${originKey}`, { description: `CloudFront, stage ${config.stage}`, value }),
    );
    const isDefault = domainName === undefined;
    return new HttpOrigin(isDefault ? `${api.restApiId}.execute-api.${Aws.REGION}.${Aws.URL_SUFFIX}` : domainName, {
      ...(isDefault && { originPath: `/${stage.stageName}` }),
      protocolPolicy: OriginProtocolPolicy.HTTPS_ONLY,
      originSslProtocols: [OriginSslPolicy.TLS_V1_2],
      readTimeout: Duration.seconds(READ_TIMEOUT_SECONDS),
      customHeaders: { 'x-api-key': value },
    });
  }

  #addRecords({ id, name }: NonNullable<Cdn['hostedZone']>, hostname: string, distribution: Distribution): void {
    const zone = HostedZone.fromHostedZoneAttributes(this, 'Zone', { hostedZoneId: id, zoneName: name });
    const record = {
      zone,
      recordName: `${hostname}.`,
      target: RecordTarget.fromAlias(new CloudFrontTarget(distribution)),
    };
    new ARecord(this, 'Record', record);
    new AaaaRecord(this, 'RecordV6', record);
  }

  #acknowledge(distribution: Distribution, { certificateParameter, webAclParameter }: Cdn): void {
    Validations.of(distribution).acknowledge(
      { id: 'AwsSolutions-CFR1', reason: 'The directory is for visitors from all countries.' },
      {
        id: 'AwsSolutions-CFR3',
        reason: 'Access logs would hold addresses and queries of visitors, which the service does not store.',
      },
    );
    if (webAclParameter === undefined) {
      Validations.of(distribution).acknowledge({
        id: 'AwsSolutions-CFR2',
        reason: 'The operator decides on a web ACL, which has a monthly cost: site.cdn.webAclParameter.',
      });
    }
    if (certificateParameter === undefined) {
      Validations.of(distribution).acknowledge({
        id: 'AwsSolutions-CFR4',
        reason:
          'The TLS policy of the default address is fixed by CloudFront; one with a certificate has TLS 1.2 or later.',
      });
    }
  }
}
