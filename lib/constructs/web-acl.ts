import { Aws, type Duration, Stack } from 'aws-cdk-lib';
import { Metric } from 'aws-cdk-lib/aws-cloudwatch';
import { CfnWebACL, CfnWebACLAssociation } from 'aws-cdk-lib/aws-wafv2';
import { Construct } from 'constructs';
import { rateLimited } from '#shared/errors.ts';
import type { Config } from '../config.ts';
import type { Gateway } from './gateway.ts';

type Waf = NonNullable<Config['api']['waf']>;

/** The window that the firewall counts in, in seconds; who is refused is told to come again when it is over. */
const WINDOW_SECONDS = 300;

/**
 * Amazon's rules that are asked: for inputs that are attacks wherever they are sent, and against addresses known for them.
 * Not the common rules: they refuse bodies above 8 KB and whatever looks like HTML, which descriptions and imports do.
 */
const MANAGED_RULES = ['AWSManagedRulesAmazonIpReputationList', 'AWSManagedRulesKnownBadInputsRuleSet'];

const TOO_MANY = 'TooMany';

const visibleAs = (metricName: string): CfnWebACL.VisibilityConfigProperty => ({
  metricName,
  cloudWatchMetricsEnabled: true,
  // Samples keep whole requests, with the address and the token of whoever sent them.
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
        customResponseBodyKey: TOO_MANY,
        responseHeaders: [
          { name: 'retry-after', value: String(WINDOW_SECONDS) },
          { name: 'cache-control', value: 'no-store' },
          // It says nothing that not everybody may know, and the firewall cannot choose among origins.
          { name: 'access-control-allow-origin', value: '*' },
        ],
      },
    },
  },
  visibilityConfig: visibleAs('RatePerAddress'),
});

const managedRule = (name: string, position: number): CfnWebACL.RuleProperty => ({
  name,
  priority: position + 1,
  statement: { managedRuleGroupStatement: { vendorName: 'AWS', name } },
  overrideAction: { none: {} },
  visibilityConfig: visibleAs(name),
});

/**
 * A firewall in front of gateways. Who asks too often gets the contract's 429 from the firewall itself; what the managed
 * rules refuse is answered by the gateway, as its responses say. It sees the caller's own address behind an edge, too.
 */
export class WebAcl extends Construct {
  readonly #metricName: string;

  constructor(scope: Construct, id: string, waf: Waf, gateways: readonly Gateway[]) {
    super(scope, id);
    this.#metricName = `${Stack.of(this).stackName}-${id}`;
    const acl = new CfnWebACL(this, 'Acl', {
      description: 'In front of the gateways of the directory.',
      scope: 'REGIONAL',
      defaultAction: { allow: {} },
      customResponseBodies: {
        [TOO_MANY]: { contentType: 'APPLICATION_JSON', content: JSON.stringify(rateLimited(WINDOW_SECONDS).body) },
      },
      rules: [rateRule(waf), ...(waf.managedRules ? MANAGED_RULES.map(managedRule) : [])],
      visibilityConfig: visibleAs(this.#metricName),
    });
    for (const gateway of gateways) {
      new CfnWebACLAssociation(this, gateway.node.id, {
        resourceArn: gateway.deploymentStage.stageArn,
        webAclArn: acl.attrArn,
      });
    }
  }

  /** How many requests were refused, by whatever rule. */
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
