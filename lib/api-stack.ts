import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { Construct } from 'constructs';
import { servedRoutes } from '#contract/feeds.ts';
import type { Route } from '#contract/route.ts';
import { translatedPages } from '#contract/site.ts';
import { routes } from '#contract/table.ts';
import { RouteFunctions } from '#lib/constructs/route-functions.ts';
import { ServiceAlarms } from '#lib/constructs/service-alarms.ts';
import { ApiClients } from '#lib/gateway/api-clients.ts';
import { ApiDomain } from '#lib/gateway/api-domain.ts';
import { PagesCdn } from '#lib/gateway/cdn.ts';
import { Gateway } from '#lib/gateway/gateway.ts';
import { GatewayLogRole } from '#lib/gateway/log-role.ts';
import { WebAcl } from '#lib/gateway/web-acl.ts';
import type { StackContext } from '#lib/stack-context.ts';
import type { DataStack } from './data-stack.ts';
import type { EventsStack } from './events-stack.ts';

interface ApiStackProps extends StackProps {
  readonly data: DataStack;
  readonly events: EventsStack;
}

/** A function per route behind two gateways: an open one, and one that requires API keys. */
export class ApiStack extends Stack {
  /** The public URL of the open gateway, without a trailing slash. */
  readonly url: string;
  /** The public URL of the gateway that requires API keys, without a trailing slash. */
  readonly keyedUrl: string;

  constructor(scope: Construct, id: string, { data, events, ...props }: ApiStackProps) {
    super(scope, id, props);
    const context: StackContext = { ...data.contextIn(this), bus: events.bus };
    const { config } = context;
    const functions = new RouteFunctions(this, 'Functions', context, routes, events.jobsIn(this));
    const logRole = new GatewayLogRole(this, 'GatewayLogRole');
    const served = servedRoutes<Route>(
      [...routes, ...translatedPages(config.site.languages ?? [])],
      config.site.indexNowKey,
    );
    const common = { config, routes: served, targetOf: functions.targetOf.bind(functions) };
    const { domain, waf } = config.api;
    const open = new Gateway(this, 'Gateway', { ...common, keysRequired: false, domainName: domain?.name });
    const keyed = new Gateway(this, 'KeyedGateway', { ...common, keysRequired: true, domainName: domain?.keyedName });
    for (const gateway of [open, keyed]) gateway.deploymentStage.node.addDependency(logRole);
    if (domain) new ApiDomain(this, 'Domain', { config, domain, open, keyed });
    if (waf) new WebAcl(this, 'Firewall', waf, [open, keyed]);
    new ApiClients(this, 'Clients', config, keyed);
    new ServiceAlarms(this, 'Alarms', context, [open, keyed]);
    const { cdn } = config.site;
    if (cdn) new PagesCdn(this, 'Cdn', { config, cdn, routes: served, keyed });
    this.url = open.address;
    this.keyedUrl = keyed.address;
    new CfnOutput(this, 'Url', { value: this.url });
    new CfnOutput(this, 'KeyedUrl', { value: this.keyedUrl });
  }
}
