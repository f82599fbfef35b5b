import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib';
import type { IFunction } from 'aws-cdk-lib/aws-lambda';
import type { Construct } from 'constructs';
import { routes } from '#contract/table.ts';
import { ApiDomain } from './constructs/api-domain.ts';
import type { World } from './constructs/capabilities.ts';
import { Gateway } from './constructs/gateway.ts';
import { GatewayLogRole } from './constructs/gateway-log-role.ts';
import { KeyClients } from './constructs/key-clients.ts';
import { RouteFunctions } from './constructs/route-functions.ts';
import { ServiceAlarms } from './constructs/service-alarms.ts';
import { WebAcl } from './constructs/web-acl.ts';

export interface ApiStackProps extends StackProps {
  readonly world: World;
  /** The functions of jobs, by the ids of their doors. */
  readonly jobs: ReadonlyMap<string, IFunction>;
}

/** What callers reach: a function per route behind two gateways, one for everybody and one for clients with keys. */
export class ApiStack extends Stack {
  constructor(scope: Construct, id: string, { world, jobs, ...props }: ApiStackProps) {
    super(scope, id, props);
    const { config } = world;
    const functions = new RouteFunctions(this, 'Functions', world, routes, jobs);
    const logRole = new GatewayLogRole(this, 'GatewayLogRole');
    const common = { config, routes, targetOf: functions.targetOf.bind(functions) };
    const { domain, waf } = config.api;
    const open = new Gateway(this, 'Gateway', { ...common, keysRequired: false, domainName: domain?.name });
    const keyed = new Gateway(this, 'KeyedGateway', { ...common, keysRequired: true, domainName: domain?.keyedName });
    for (const gateway of [open, keyed]) gateway.deploymentStage.node.addDependency(logRole);
    if (domain) new ApiDomain(this, 'Domain', { config, domain, open, keyed });
    if (waf) new WebAcl(this, 'Firewall', waf, [open, keyed]);
    new KeyClients(this, 'Clients', config, keyed);
    new ServiceAlarms(this, 'Alarms', world);
    new CfnOutput(this, 'Url', { value: open.address });
    new CfnOutput(this, 'KeyedUrl', { value: keyed.address });
  }
}
