import { Aws, type Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { TRANSPORT_SECURITY } from '#http/middleware/headers.ts';
import type { Config } from '#lib/config/schema.ts';
import { rateLimited } from '#shared/errors.ts';
import type { Gateway } from './gateway.ts';

type Waf = NonNullable<Config['api']['waf']>;

/** The evaluation window of the rate rule, in seconds, and the `retry-after` of blocked requests. */
const WINDOW_SECONDS = 300;

/**
 * Managed rules against known bad inputs and addresses. The common rule set is not used: it blocks bodies above 8 KB
 * and HTML, which descriptions and imports contain.
 */
const MANAGED_RULES = ['AWSManagedRulesAmazonIpReputationList', 'AWSManagedRulesKnownBadInputsRuleSet'];

const RATE_LIMITED_BODY = 'TooMany';

const visibility = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples would store whole requests, with addresses and tokens.
  sampledRequestsEnabled: false,
});

const rateRule = ({ requestsPerFiveMinutes }: Waf): CfnWebACL.RuleProperty => ({
  name: 'RatePerAddress',
  priority: 0,
  statement: {
    rateBasedStatement: {
      aggregateKeyType: 'IP',
      limit: requestsPerFiveMinutes,
      evaluationWindowSec: WINDOW_SECONDS,
    },
  },
  action: {
    block: {
      customResponse: {
        responseCode: rateLimited(WINDOW_SECONDS).status,
        customResponseBodyKey: RATE_LIMITED_BODY,
        responseHeaders: [
          { name: 'retry-after', value: String(WINDOW_SECONDS) },
          { name: 'cache-control', value: 'no-store' },
          ...Object.entries(TRANSPORT_SECURITY).map(([name, value]) => ({ name, value })),
          // The body is constant, and a web ACL cannot select among origins.
          { name: 'access-control-allow-origin', value: '*' },
        ],
      },
    },
  },
  visibilityConfig: visibility('RatePerAddress'),
});

const managedRule = (name: string, position: number): CfnWebACL.RuleProperty => ({
  name,
  priority: position + 1,
  statement: { managedRuleGroupStatement: { vendorName: 'AWS', name } },
  overrideAction: { none: {} },
  visibilityConfig: visibility(name),
});

/**
 * A web ACL for the gateways. Rate-limited requests receive the contract’s 429 from the web ACL itself; requests
 * blocked by managed rules receive the gateway’s response. It sees the address of the caller behind an edge endpoint
 * too.
 */
export class WebAcl extends Construct {
  readonly #metricName: string;

  constructor(scope: Construct, id: string, waf: Waf, gateways: readonly Gateway[]) {
    super(scope, id);
    this.#metricName = `${Stack.of(this).stackName}-${id}`;
    const acl = new CfnWebACL(this, 'Acl', {
      description: 'Protects the gateways of the directory.',
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      customResponseBodies: {
        [RATE_LIMITED_BODY]: {
          contentType: 'APPLICATION_JSON',
          content: JSON.stringify(rateLimited(WINDOW_SECONDS).body),
        },
      },
      rules: [rateRule(waf), ...(waf.managedRules ? MANAGED_RULES.map(managedRule) : [])],
      visibilityConfig: visibility(this.#metricName),
    });
    for (const gateway of gateways) {
      // Next to the stage of the gateway, in its nested stack.
      new CfnWebACLAssociation(gateway, id, {
        resourceArn: gateway.deploymentStage.stageArn,
        webAclArn: acl.attrArn,
      });
    }
  }

  /** Requests blocked by any rule. */
  blockedRequests(period: Duration): Metric {
    return new Metric({
      namespace: 'AWS/WAFV2',
      metricName: 'BlockedRequests',
      dimensionsMap: { WebACL: this.#metricName, Region: Aws.REGION, Rule: 'ALL' },
      statistic: 'Sum',
      period,
      label: 'refused by the firewall',
    });
  }
}
