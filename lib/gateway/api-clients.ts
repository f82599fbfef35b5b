import { ApiKey, Period, UsagePlan } from 'aws-cdk-lib/aws-apigateway';
import { Construct } from 'constructs';
import type { Config } from '#lib/config/schema.ts';
import type { Gateway } from './gateway.ts';

/**
 * Usage plans and an API key per client. The gateway generates the values of the keys; read them with `aws apigateway
 * get-api-key --include-value`.
 */
export class ApiClients extends Construct {
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
