import { NestedStack, Size, Stack, Validations } from 'aws-cdk-lib';
import {
  AccessLogFormat,
  ApiDefinition,
  CfnRestApi,
  LogGroupLogDestination,
  type MethodDeploymentOptions,
  MethodLoggingLevel,
  SpecRestApi,
  type Stage,
} from 'aws-cdk-lib/aws-apigateway';
import type { Construct } from 'constructs';
import type { Route } from '#contract/route.ts';
import type { Config } from '#lib/config/schema.ts';
import { logGroup } from '#lib/constructs/log-group.ts';
import { ALARM_PERIOD, RunbookAlarm } from '#lib/constructs/runbook-alarm.ts';
import { BINARY_TYPES } from '#lib/gateway/binary-types.ts';
import { type BodyOptions, COMPRESSION_MIN_BYTES, gatewayBody, type Target } from '#lib/gateway/body.ts';
import { listParameters } from '#lib/gateway/list-parameters.ts';
import { transportOf } from '#lib/gateway/transport.ts';

/** The stage name in the default address. */
const STAGE_NAME = 'live';

/** Responses with status 500 and above per period that raise an alarm. */
const FAILURES_MAX = 5;

interface GatewayProps {
  readonly config: Config;
  readonly routes: readonly Route[];
  /** Whether an API key is required. CORS headers are then omitted. */
  readonly keysRequired: boolean;
  readonly targetOf: BodyOptions['targetOf'];
  /** The custom domain, which disables the default address. */
  readonly domainName: string | undefined;
}

// Enough to trace a request to its function, without personal data: no address, user agent, query or key.
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

const throttleOf = (config: Config, tier: Route['tier']): MethodDeploymentOptions => {
  const { ratePerSecond, burst } = config.throttles[tier === 'admin' ? 'general' : tier];
  return { throttlingRateLimit: ratePerSecond, throttlingBurstLimit: burst };
};

/** The settings of the stage. Every value here and in the overrides is one operation of an update of the stage. */
const stageSettings = (config: Config): MethodDeploymentOptions => ({
  // Failures only, without request data.
  loggingLevel: MethodLoggingLevel.ERROR,
  dataTraceEnabled: false,
  metricsEnabled: false,
  ...throttleOf(config, 'general'),
});

/**
 * The throttles of methods that differ from the stage's. The gateway refuses an update of a stage with more than about 80
 * operations ("Update size too large"), so that not every method can have settings of its own. A method with an override
 * has no execution log, because it does not inherit the log level of the stage; the access log has all methods.
 */
const throttleOverrides = (config: Config, routes: readonly Route[]): Record<string, MethodDeploymentOptions> =>
  Object.fromEntries(
    routes
      .filter(({ tier }) => tier !== 'general' && tier !== 'admin')
      .map(({ path, method, tier }) => [`${path}/${method}`, throttleOf(config, tier)]),
  );

/**
 * A REST API generated from the route table, with its stage, logs and alarms. Every route is throttled by its tier, all
 * other methods as `general`. It is a nested stack because its document is longer than everything else together.
 */
export class Gateway extends NestedStack {
  /** The public URL, without a trailing slash. */
  readonly address: string;
  readonly api: SpecRestApi;
  readonly deploymentStage: Stage;
  /** The custom domain, if it has one. */
  readonly domainName: string | undefined;

  constructor(scope: Construct, id: string, { config, routes, keysRequired, targetOf, domainName }: GatewayProps) {
    super(scope, id, { suppressTemplateIndentation: true });
    // The name is a dimension of metrics; it need not be unique.
    const title = `${Stack.of(scope).stackName}-${id}`;
    const allowedOrigins = keysRequired ? [] : config.allowedOrigins;
    const transport = transportOf(config);
    const { endpointType, ...encryption } = transport;
    const targets = routes.map(targetOf);
    const functionIn = listParameters(
      this,
      'Functions',
      targets.map(({ functionArn }) => functionArn),
    );
    const invokerIn = listParameters(
      this,
      'Invokers',
      targets.map(({ invokerArn }) => invokerArn),
    );
    const passedTarget = (route: Route): Target => {
      const { functionArn, invokerArn } = targetOf(route);
      return { functionArn: functionIn(functionArn), invokerArn: invokerIn(invokerArn) };
    };
    const common = { title, routes, allowedOrigins, keysRequired, targetOf: passedTarget };
    this.api = new SpecRestApi(this, 'Api', {
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
        accessLogDestination: new LogGroupLogDestination(logGroup(this, 'Log', config)),
        accessLogFormat,
        ...stageSettings(config),
        methodOptions: throttleOverrides(config, routes),
      },
    });
    this.deploymentStage = this.api.deploymentStage;
    this.domainName = domainName;
    this.address = domainName === undefined ? this.api.url.replace(/\/$/, '') : `https://${domainName}`;
    if (this.api.node.defaultChild instanceof CfnRestApi) Object.assign(this.api.node.defaultChild, encryption);
    // Otherwise the gateway creates this log group itself, without retention.
    const executionLog = logGroup(
      this,
      'ExecutionLog',
      config,
      `API-Gateway-Execution-Logs_${this.api.restApiId}/${STAGE_NAME}`,
    );
    this.deploymentStage.node.addDependency(executionLog);
    Validations.of(this).acknowledge({
      id: 'AwsSolutions-APIG2',
      reason: 'Functions validate every input and respond in the shape of the contract, with a message per field.',
    });
    if (config.api.waf === undefined) {
      Validations.of(this).acknowledge({
        id: 'AwsSolutions-APIG3',
        reason:
          'The stage is configured without a web ACL, which has a monthly cost; rate tiers and throttles always apply.',
      });
    }
    new RunbookAlarm(this, 'Answers5xx', {
      section: 'gateway-answers-5xx',
      summary: 'Requests fail with server errors.',
      metric: this.deploymentStage.metricServerError({ period: ALARM_PERIOD, statistic: 'Sum' }),
      threshold: FAILURES_MAX,
    });
  }
}
