import { Duration, Size, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  CfnRestApi,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  SpecRestApi,
} from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import type { Config } from '../config.ts';
import { BINARY_TYPES, type BodyOptions, COMPRESSION_MIN_BYTES, gatewayBody } from '../gateway/body.ts';
import { transportOf } from '../gateway/transport.ts';
import { logGroup } from './logs.ts';
import { ALARM_PERIOD, RunbookAlarm } from './runbook-alarm.ts';

/** The first part of every path behind the gateway's own address. */
const STAGE_NAME = 'live';

/** How many answers of 500 and above within one period are no accident. */
const FAILURES_MAX = 5;

/** Slower than this for one answer in a hundred is no longer the odd cold start, for three periods in a row. */
const SLOW = Duration.seconds(5);
const SLOW_PERIODS = 3;

export interface GatewayProps {
  readonly config: Config;
  readonly routes: readonly Route[];
  /** For programmatic clients: a key is asked for, and pages of browsers are not catered for. */
  readonly keysRequired: boolean;
  readonly targetOf: BodyOptions['targetOf'];
  /** The stage's own name for it, in place of the address that it has by itself. */
  readonly domainName: string | undefined;
}

// What is needed to follow a request to its function, and nothing that tells who asked: no address, agent, query or key.
const accessLogFormat = AccessLogFormat.custom(
  JSON.stringify({
    time: '$context.requestTimeEpoch',
    request_id: '$context.requestId',
    trace_id: '$context.xrayTraceId',
    method: '$context.httpMethod',
    route: '$context.resourcePath',
    status: '$context.status',
    bytes: '$context.responseLength',
    latency_ms: '$context.responseLatency',
    function_status: '$context.integration.status',
    function_latency_ms: '$context.integration.latency',
    gateway_response: '$context.error.responseType',
  }),
);

/** The settings of a method. Each states all of them: what is left out would not be the stage's but the gateway's default. */
const settingsFor = (config: Config, tier: Route['tier']): MethodDeploymentOptions => ({
  // Execution logs of failures only, and never what was sent.
  loggingLevel: MethodLoggingLevel.ERROR,
  dataTraceEnabled: false,
  metricsEnabled: false,
  throttlingRateLimit: config.throttles[tier].ratePerSecond,
  throttlingBurstLimit: config.throttles[tier].burst,
});

/** A gateway made from the table of routes. Every route is throttled by its tier, everything else as `none`. */
export class Gateway extends SpecRestApi {
  /** Where callers reach it, without a slash at the end. */
  readonly address: string;

  constructor(scope: Construct, id: string, { config, routes, keysRequired, targetOf, domainName }: GatewayProps) {
    // The name is a label that metrics go by; it need not be the only one of its kind.
    const title = `${Stack.of(scope).stackName}-${id}`;
    const allowedOrigins = keysRequired ? [] : config.allowedOrigins;
    const transport = transportOf(config);
    const { endpointType, ...encryption } = transport;
    const common = { title, routes, allowedOrigins, keysRequired, targetOf };
    super(scope, id, {
      restApiName: title,
      apiDefinition: ApiDefinition.fromInline(gatewayBody({ ...common, transport, domainName })),
      endpointTypes: [endpointType],
      disableExecuteApiEndpoint: domainName !== undefined,
      binaryMediaTypes: BINARY_TYPES,
      minCompressionSize: Size.bytes(COMPRESSION_MIN_BYTES),
      cloudWatchRole: false,
      deployOptions: {
        stageName: STAGE_NAME,
        tracingEnabled: true,
        accessLogDestination: new LogGroupLogDestination(logGroup(scope, `${id}Log`, config)),
        accessLogFormat,
        ...settingsFor(config, 'none'),
        methodOptions: Object.fromEntries(
          routes.map(({ path, method, tier }) => [`${path}/${method}`, settingsFor(config, tier)]),
        ),
      },
    });
    this.address = domainName === undefined ? this.url.replace(/\/$/, '') : `https://${domainName}`;
    if (this.node.defaultChild instanceof CfnRestApi) Object.assign(this.node.defaultChild, encryption);
    // The gateway would make this log by itself, and keep it for ever.
    const executionLog = logGroup(
      this,
      'ExecutionLog',
      config,
      `API-Gateway-Execution-Logs_${this.restApiId}/${STAGE_NAME}`,
    );
    this.deploymentStage.node.addDependency(executionLog);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG2',
      reason: 'Functions check every input and answer in the contract’s shape, with a message per field.',
    });
    if (config.api.waf === undefined) {
      Validations.of(this).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason:
          'This stage has chosen to have no firewall, which costs by the month; tiers and throttles are always on.',
      });
    }
    new RunbookAlarm(this, 'Answers5xx', {
      section: 'gateway-answers-5xx',
      says: 'Callers are answered with failures of the service.',
      metric: this.deploymentStage.metricServerError({ period: ALARM_PERIOD, statistic: 'Sum' }),
      threshold: FAILURES_MAX,
    });
    new RunbookAlarm(this, 'Slow', {
      section: 'gateway-is-slow',
      says: 'One answer in a hundred takes five seconds or more.',
      metric: this.deploymentStage.metricLatency({ period: ALARM_PERIOD, statistic: 'p99' }),
      threshold: SLOW.toMilliseconds(),
      periods: SLOW_PERIODS,
    });
  }
}
