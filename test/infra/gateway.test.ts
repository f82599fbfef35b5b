import { Validator } from '@seriousme/openapi-schema-validator';
import { describe, expect, it } from 'vitest';
import { doorIdOf, routes } from '#contract/table.ts';
import { corsHeaders, preflightHeaders } from '#http/cors.ts';
import { configOf } from '#lib/config.ts';
import { constructIdOf } from '#lib/doors.ts';
import { type ErrorCode, statusOf, textOf } from '#shared/errors.ts';
import { named, ofType, settled, synthesize, targetOf } from './synthesized.ts';

interface Integration {
  readonly type: string;
  readonly uri: { readonly 'Fn::Join': readonly [string, readonly unknown[]] };
  readonly credentials: unknown;
  readonly responseTransferMode?: string;
  readonly timeoutInMillis: number;
}
interface Operation {
  readonly operationId: string;
  readonly parameters: readonly { readonly name: string }[];
  readonly security?: unknown;
  readonly 'x-amazon-apigateway-integration': Integration;
}
interface MockAnswer {
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: { readonly 'application/json': string };
}
interface Fallback {
  readonly 'x-amazon-apigateway-integration': {
    readonly type: string;
    readonly requestTemplates: Readonly<Record<string, string>>;
    readonly responses: { readonly 204: MockAnswer; readonly default: MockAnswer };
  };
}
interface GatewayResponse {
  readonly statusCode: string;
  readonly responseParameters: Readonly<Record<string, string>>;
  readonly responseTemplates: { readonly 'application/json': string };
}
interface Body {
  readonly openapi: string;
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly 'x-amazon-apigateway-gateway-responses': Readonly<Record<string, GatewayResponse>>;
}

const config = configOf('dev');
const { api, events } = synthesize(config);
const bodyOf = (gateway: string) => named(api, 'AWS::ApiGateway::RestApi', gateway).properties.Body as Body;
const stageOf = (gateway: string) =>
  named(api, 'AWS::ApiGateway::Stage', `${gateway}DeploymentStagelive`).properties as {
    readonly MethodSettings: readonly Record<string, unknown>[];
    readonly AccessLogSetting: { readonly Format: string };
    readonly TracingEnabled: boolean;
  };

const verbs = ['get', 'post', 'put', 'delete'];
const operationsOf = (body: Body) =>
  Object.entries(body.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([verb]) => verbs.includes(verb))
      .map(([verb, operation]) => ({ key: `${verb.toUpperCase()} ${path}`, operation: operation as Operation })),
  );

describe.each(['Gateway', 'KeyedGateway'])('%s', (gateway) => {
  const body = bodyOf(gateway);
  const operations = operationsOf(body);

  it('is valid OpenAPI 3.0', async () => {
    const result = await new Validator().validate({ ...structuredClone(body) });
    expect(result).toEqual({ valid: true });
    expect(body.openapi).toMatch(/^3\.0\./);
  });

  it('has the routes of the table and no other', () => {
    expect(operations.map(({ key }) => key).sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it.each(routes)('$id starts its own function in the gateway’s role', (route) => {
    const found = operations.find(({ operation }) => operation.operationId === route.id)?.operation;
    const integration = found?.['x-amazon-apigateway-integration'];
    // The functions of jobs stand in another stack, beside their schedules.
    const opened = constructIdOf(doorIdOf(route));
    const target = named(route.auth === 'cron' ? events : api, 'AWS::Lambda::Function', opened).logicalId;
    const [, parts] = integration?.uri['Fn::Join'] ?? ['', []];
    expect(found?.parameters.map(({ name }) => name)).toEqual(
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
    expect(integration?.type).toBe('aws_proxy');
    if (route.auth === 'cron') expect(JSON.stringify(parts)).toContain(`ExportsOutputFnGetAtt${target}Arn`);
    else expect(parts.map(targetOf)).toContain(target);
    expect(targetOf(integration?.credentials)).toMatch(/^Functions\w+Invoker/);
  });

  it('streams what the table says is streamed, and waits for the rest as long as it can', () => {
    for (const { operation } of operations) {
      const route = routes.find(({ id }) => id === operation.operationId);
      const streamed = Object.values(route?.replies ?? {}).some((reply) => 'stream' in reply && reply.stream);
      const { responseTransferMode, uri, timeoutInMillis } = operation['x-amazon-apigateway-integration'];
      const call = uri['Fn::Join'][1].map(settled).join('');
      expect(responseTransferMode).toBe(streamed ? 'STREAM' : undefined);
      expect(call).toContain(streamed ? '/2021-11-15/functions/' : '/2015-03-31/functions/');
      expect(call).toMatch(streamed ? /\/response-streaming-invocations$/ : /\/invocations$/);
      expect(timeoutInMillis).toBe(streamed ? 900_000 : 29_000);
    }
  });

  it('carries files as they are and compresses what is worth it', () => {
    expect(named(api, 'AWS::ApiGateway::RestApi', gateway).properties).toMatchObject({
      BinaryMediaTypes: ['multipart/form-data'],
      MinimumCompressionSize: 1024,
    });
  });

  it('throttles every route by its tier', () => {
    const settings = stageOf(gateway).MethodSettings;
    for (const { path, method, tier } of routes) {
      const one = settings.find(
        ({ ResourcePath, HttpMethod }) => ResourcePath === `/${path.replaceAll('/', '~1')}` && HttpMethod === method,
      );
      const { ratePerSecond, burst } = config.throttles[tier];
      expect(one).toMatchObject({
        ThrottlingRateLimit: ratePerSecond,
        ThrottlingBurstLimit: burst,
        LoggingLevel: 'ERROR',
      });
    }
    expect(settings.every(({ DataTraceEnabled }) => DataTraceEnabled === false)).toBe(true);
  });

  it('writes an access log that tells nobody who asked', () => {
    const { AccessLogSetting, TracingEnabled } = stageOf(gateway);
    expect(Object.values(JSON.parse(AccessLogSetting.Format) as Record<string, string>)).not.toContainEqual(
      expect.stringMatching(/identity|authorizer|\.path\b|querystring|apiKey|userAgent|sourceIp/i),
    );
    expect(TracingEnabled).toBe(true);
  });

  it('keeps no log longer than the stage says', () => {
    const own = ofType(api, 'AWS::Logs::LogGroup').filter(({ logicalId }) => logicalId.startsWith(gateway));
    expect(own.map(({ properties }) => properties.RetentionInDays)).toEqual([config.logDays, config.logDays]);
    expect(own.map(({ properties }) => JSON.stringify(properties.LogGroupName))).toContainEqual(
      expect.stringMatching(/^\{.*"API-Gateway-Execution-Logs_".*"\/live"/),
    );
  });
});

describe('the gateway for everybody', () => {
  const body = bodyOf('Gateway');
  const fallbackOf = (path: string) => body.paths[path]?.['x-amazon-apigateway-any-method'] as Fallback;

  it('asks for no key', () => {
    expect(operationsOf(body).every(({ operation }) => operation.security === undefined)).toBe(true);
  });

  it('answers other methods and paths by itself, on every step of every path', () => {
    const steps = routes.flatMap(({ path }) =>
      path.split('/').map((_, position, parts) => parts.slice(0, position + 1).join('/') || '/'),
    );
    for (const path of [...steps, '/{proxy+}']) {
      expect(fallbackOf(path)['x-amazon-apigateway-integration'].type, path).toBe('mock');
    }
  });

  it('answers a browser’s question with the headers that functions would send', () => {
    const { 204: answer } = fallbackOf('/api/projects')['x-amazon-apigateway-integration'].responses;
    const template = answer.responseTemplates['application/json'];
    for (const origin of config.allowedOrigins) expect(template).toContain(`$origin == "${origin}"`);
    const expected = preflightHeaders('https://a.example', ['https://a.example']);
    for (const [name, value] of Object.entries(expected)) {
      if (name === 'vary') expect(answer.responseParameters['method.response.header.vary']).toBe(`'${value}'`);
      else {
        const written = name === 'access-control-allow-origin' ? '$origin' : `"${value}"`;
        expect(template).toContain(`#set($context.responseOverride.header.${name} = ${written})`);
      }
    }
  });

  it('answers anything else with the contract’s 404', () => {
    const { requestTemplates, responses } = fallbackOf('/{proxy+}')['x-amazon-apigateway-integration'];
    expect(requestTemplates['application/json']).toContain('404');
    const template = responses.default.responseTemplates['application/json'];
    expect(JSON.parse(template.split('\n').at(-1) ?? '')).toEqual({ error: 'Not found', code: 'NOT_FOUND' });
    for (const name of Object.keys(corsHeaders('https://a.example', ['https://a.example']))) {
      if (name !== 'vary') expect(template).toContain(`header.${name} `);
    }
    expect(responses.default.responseParameters['method.response.header.x-request-id']).toBe('context.requestId');
  });
});

describe('the gateway for programmatic clients', () => {
  it('asks for a key on every route', () => {
    expect(operationsOf(bodyOf('KeyedGateway')).every(({ operation }) => operation.security !== undefined)).toBe(true);
  });

  it('counts and limits by plan', () => {
    const plans = ofType(api, 'AWS::ApiGateway::UsagePlan');
    expect(plans).toHaveLength(config.usagePlans.length);
    for (const [position, plan] of config.usagePlans.entries()) {
      expect(plans[position]?.properties).toMatchObject({
        Quota: { Limit: plan.requestsPerDay, Period: 'DAY' },
        Throttle: { RateLimit: plan.ratePerSecond, BurstLimit: plan.burst },
      });
    }
    const keys = ofType(api, 'AWS::ApiGateway::ApiKey');
    expect(keys).toHaveLength(config.usagePlans.flatMap(({ clients }) => clients).length);
    expect(keys.some(({ properties }) => 'Value' in properties)).toBe(false);
  });
});

describe('what the gateways say by themselves', () => {
  const responses = bodyOf('Gateway')['x-amazon-apigateway-gateway-responses'];

  it.each(Object.entries(responses))('%s has the contract’s shape', (_, response) => {
    const body = JSON.parse(response.responseTemplates['application/json']) as { error: string; code: ErrorCode };
    expect(body.error).toBe(textOf(body.code));
    expect(response.statusCode).toBe(String(statusOf(body.code)));
    expect(response.responseParameters['gatewayresponse.header.x-request-id']).toBe('context.requestId');
  });

  it.each([
    ['MISSING_AUTHENTICATION_TOKEN', { error: 'Not found', code: 'NOT_FOUND' }],
    ['INTEGRATION_TIMEOUT', { error: 'Timeout', code: 'TIMEOUT' }],
    ['WAF_FILTERED', { error: 'Forbidden', code: 'FORBIDDEN' }],
    ['DEFAULT_5XX', { error: 'Internal error', code: 'INTERNAL', request_id: '$context.requestId' }],
  ])('%s is the contract’s', (occasion, body) => {
    expect(JSON.parse(responses[occasion]?.responseTemplates['application/json'] ?? '')).toEqual(body);
  });

  it.each(['THROTTLED', 'QUOTA_EXCEEDED'])('%s says when to come again, in the body and as a header', (occasion) => {
    const response = responses[occasion];
    const { retryAfter } = JSON.parse(response?.responseTemplates['application/json'] ?? '') as { retryAfter: number };
    expect(retryAfter).toBeGreaterThan(0);
    expect(response?.responseParameters['gatewayresponse.header.retry-after']).toBe(`'${retryAfter}'`);
  });

  it('says 413 with the limit in words', () => {
    const body = JSON.parse(responses.REQUEST_TOO_LARGE?.responseTemplates['application/json'] ?? '') as object;
    expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('MB') as unknown });
  });

  it('names an origin only where there is no choice', () => {
    const origin = 'gatewayresponse.header.access-control-allow-origin';
    expect(config.allowedOrigins.length).toBeGreaterThan(1);
    expect(responses.THROTTLED?.responseParameters).not.toHaveProperty([origin]);
    const one = synthesize('prod').api;
    const body = named(one, 'AWS::ApiGateway::RestApi', 'Gateway').properties.Body as Body;
    const { THROTTLED } = body['x-amazon-apigateway-gateway-responses'];
    expect(THROTTLED?.responseParameters[origin]).toBe("'https://directory.example'");
  });
});
