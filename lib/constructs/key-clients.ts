import { ApiKey, Period, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';
import type { Gateway } from './gateway.ts';

/**
 * The usage plans of programmatic clients and the key of each client. Their values are made by the gateway and are read
 * with `aws apigateway get-api-key --include-value`; no template knows them.
 */
export class KeyClients extends Construct {
  constructor(scope: Construct, id: string, config: Config, gateway: Gateway) {
    super(scope, id);
    const stage = gateway.deploymentStage;
    for (const plan of config.usagePlans) {
      const usagePlan = new UsagePlan(this, plan.id, {
        description: `${plan.id} clients of stage ${config.stage}`,
        throttle: { rateLimit: plan.ratePerSecond, burstLimit: plan.burst },
        quota: { limit: plan.requestsPerDay, period: Period.DAY },
        apiStages: [{ api: stage.restApi, stage }],
      });
      for (const client of plan.clients) {
        usagePlan.addApiKey(
          new ApiKey(this, `${plan.id}${client}`, { description: `${client}, stage ${config.stage}` }),
        );
      }
    }
  }
}
