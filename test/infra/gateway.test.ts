import { Validator } from '@seriousme/openapi-schema-validator';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { servedRoutes } from '#contract/feeds.ts';
import type { Route } from '#contract/route.ts';
import { handlerIdOf, routes as table } from '#contract/table.ts';
import { corsHeaders, preflightHeaders } from '#http/middleware/headers.ts';
import { configOf } from '#lib/config.ts';
import { gatewayResponses } from '#lib/gateway/gateway-responses.ts';
import { constructIdOf } from '#lib/handlers.ts';
import { type ErrorCode, statusOf, textOf } from '#shared/errors.ts';
import { longTest } from '#test/support/long-test.ts';
import { everything, named, ofType, resolvedText, type Synthesized, synthesize, targetOf } from './synthesized.ts';

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
interface MockResponse {
  readonly statusCode: string;
  readonly responseTemplates: { readonly 'application/json': string };
}
interface Fallback {
  readonly 'x-amazon-apigateway-integration': {
    readonly type: string;
    readonly requestTemplates: Readonly<Record<string, string>>;
    readonly responses: { readonly default: MockResponse };
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
const routes = servedRoutes<Route>(table);
const { api, events } = synthesize(config);
const full = synthesize(everything);
const bodyOf = (gateway: string) => named(api, 'AWS::ApiGateway::RestApi', `${gateway}Api`).properties.Body as Body;
const stageOf = (gateway: string) =>
  named(api, 'AWS::ApiGateway::Stage', `${gateway}ApiDeploymentStagelive`).properties as {
    readonly MethodSettings: readonly Record<string, unknown>[];
    readonly AccessLogSetting: { readonly Format: string };
    readonly TracingEnabled: boolean;
  };

const methods = ['get', 'post', 'put', 'delete'];
const operationsOf = (body: Body) =>
  Object.entries(body.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, operation]) => ({ key: `${method.toUpperCase()} ${path}`, operation: operation as Operation })),
  );

describe.each(['Gateway', 'KeyedGateway'])('%s', (gateway) => {
  const body = bodyOf(gateway);
  const operations = operationsOf(body);

  it('is valid OpenAPI 3.0', async () => {
    const result = await new Validator().validate({ ...structuredClone(body) });
    expect(result).toEqual({ valid: true });
    expect(body.openapi).toMatch(/^3\.0\./);
  });

  it('has exactly the routes of the table', () => {
    expect(operations.map(({ key }) => key).sort()).toEqual(
      routes.map(({ method, path }) => `${method} ${path}`).sort(),
    );
  });

  it.each(routes)('$id invokes its function with the role of its domain', (route) => {
    const found = operations.find(({ operation }) => operation.operationId === route.id)?.operation;
    const integration = found?.['x-amazon-apigateway-integration'];
    // The functions of jobs are in the events stack.
    const constructId = constructIdOf(handlerIdOf(route));
    const target = named(route.auth === 'cron' ? events : api, 'AWS::Lambda::Function', constructId).logicalId;
    const [, parts] = integration?.uri['Fn::Join'] ?? ['', []];
    expect(found?.parameters.map(({ name }) => name)).toEqual(
      [...route.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name),
    );
    expect(integration?.type).toBe('aws_proxy');
    if (route.auth === 'cron') {
      expect(parts.map(targetOf)).toContain(`${constructId}Arn`);
      const written = named(events, 'AWS::SSM::Parameter', `${constructId}ArnParameter`).properties;
      expect(written.Value).toEqual({ 'Fn::GetAtt': [target, 'Arn'] });
      expect(api.content.Parameters?.[`${constructId}Arn`]?.Default).toBe(written.Name);
    } else expect(parts.map(targetOf)).toContain(target);
    const [domain = ''] = route.id.split('.');
    expect(targetOf(integration?.credentials)).toMatch(new RegExp(`^${constructIdOf(domain)}Invoker`));
  });

  it('serves the key of IndexNow at its address', () => {
    const { Body: withKey } = named(full.api, 'AWS::ApiGateway::RestApi', `${gateway}Api`).properties as { Body: Body };
    const operation = withKey.paths[`/${everything.site.indexNowKey}.txt`]?.get as Operation;
    expect(operation.operationId).toBe('feeds.readIndexNowKey');
    for (const id of ['FeedsReadLlms', 'FeedsReportChanges']) {
      const { api: routesOf, events: subscribersOf } = full;
      const from = id === 'FeedsReadLlms' ? routesOf : subscribersOf;
      expect(named(from, 'AWS::Lambda::Function', id).properties).toMatchObject({
        Environment: { Variables: { INDEXNOW_KEY: everything.site.indexNowKey } },
      });
    }
  });

  it('serves the pages of each language of the settings by the function of pages', () => {
    const { Body: translated } = named(full.api, 'AWS::ApiGateway::RestApi', `${gateway}Api`).properties as {
      Body: Body;
    };
    const targetAt = (path: string) =>
      (translated.paths[path]?.get as Operation | undefined)?.['x-amazon-apigateway-integration'].uri;
    expect(targetAt('/')).toBeDefined();
    for (const path of ['/de', '/es/{page}', '/fr/{page}/{part}']) expect(targetAt(path), path).toEqual(targetAt('/'));
    expect(targetAt('/en')).toBeUndefined();
    const { Environment } = named(full.api, 'AWS::Lambda::Function', 'SiteRead').properties;
    expect(Environment).toMatchObject({ Variables: { SITE_LANGUAGES: 'en,de,es,fr' } });
  });

  it('streams the declared routes, and buffers others up to the maximum timeout', () => {
    for (const { operation } of operations) {
      const route = routes.find(({ id }) => id === operation.operationId);
      const streamed = Object.values(route?.responses ?? {}).some(
        (response) => 'stream' in response && response.stream,
      );
      const { responseTransferMode, uri, timeoutInMillis } = operation['x-amazon-apigateway-integration'];
      const call = uri['Fn::Join'][1].map(resolvedText).join('');
      expect(responseTransferMode).toBe(streamed ? 'STREAM' : undefined);
      expect(call).toContain(streamed ? '/2021-11-15/functions/' : '/2015-03-31/functions/');
      expect(call).toMatch(streamed ? /\/response-streaming-invocations$/ : /\/invocations$/);
      expect(timeoutInMillis).toBe(streamed ? 900_000 : 29_000);
    }
  });

  it('passes files as binary and compresses responses from 1 KB', () => {
    expect(named(api, 'AWS::ApiGateway::RestApi', `${gateway}Api`).properties).toMatchObject({
      BinaryMediaTypes: ['multipart/form-data'],
      MinimumCompressionSize: 1024,
    });
  });

  it('repeats its settings in the document, whose import replaces them', () => {
    const { properties } = named(api, 'AWS::ApiGateway::RestApi', `${gateway}Api`);
    expect(body).toMatchObject({
      'x-amazon-apigateway-binary-media-types': properties.BinaryMediaTypes,
      'x-amazon-apigateway-minimum-compression-size': properties.MinimumCompressionSize,
      'x-amazon-apigateway-security-policy': properties.SecurityPolicy,
      'x-amazon-apigateway-endpoint-access-mode': properties.EndpointAccessMode,
    });
    expect(body).not.toHaveProperty('servers');
  });

  it('throttles every route by its tier', () => {
    const settings = stageOf(gateway).MethodSettings;
    const settingOf = (path: string, method: string) =>
      settings.find(({ ResourcePath, HttpMethod }) => ResourcePath === path && HttpMethod === method);
    const common = settingOf('/*', '*');
    expect(common).toMatchObject({ LoggingLevel: 'ERROR', DataTraceEnabled: false, MetricsEnabled: false });
    for (const { path, method, tier } of routes) {
      const own = settingOf(`/${path.replaceAll('/', '~1')}`, method);
      const { ratePerSecond, burst } = config.throttles[tier === 'admin' ? 'general' : tier];
      expect(own ?? common).toMatchObject({ ThrottlingRateLimit: ratePerSecond, ThrottlingBurstLimit: burst });
    }
  });

  it('has few enough settings for one update of the stage, with every feature', () => {
    const { MethodSettings } = named(full.api, 'AWS::ApiGateway::Stage', `${gateway}ApiDeploymentStagelive`)
      .properties as {
      readonly MethodSettings: readonly Record<string, unknown>[];
    };
    // Each override names its method by a path and a method, which are not values.
    const values = MethodSettings.map((setting) => Object.keys(setting).length - 2);
    expect(values.reduce((sum, count) => sum + count, 0)).toBeLessThan(80);
  });

  it('writes an access log without personal data', () => {
    const { AccessLogSetting, TracingEnabled } = stageOf(gateway);
    expect(Object.values(JSON.parse(AccessLogSetting.Format) as Record<string, string>)).not.toContainEqual(
      expect.stringMatching(/identity|authorizer|\.path\b|querystring|apiKey|userAgent|sourceIp/i),
    );
    expect(TracingEnabled).toBe(true);
  });

  it('has log groups with the retention of the stage', () => {
    const own = ofType(api, 'AWS::Logs::LogGroup').filter(({ logicalId }) => logicalId.startsWith(gateway));
    expect(own.map(({ properties }) => properties.RetentionInDays)).toEqual([config.logDays, config.logDays]);
    expect(own.map(({ properties }) => JSON.stringify(properties.LogGroupName))).toContainEqual(
      expect.stringMatching(/^\{.*"API-Gateway-Execution-Logs_".*"\/live"/),
    );
  });
});

describe('the open gateway', () => {
  const body = bodyOf('Gateway');
  const fallbackOf = (path: string) => body.paths[path]?.['x-amazon-apigateway-any-method'] as Fallback;

  it('the open gateway requires no key', () => {
    expect(operationsOf(body).every(({ operation }) => operation.security === undefined)).toBe(true);
  });

  it('the open gateway has a mock integration for other methods on every path and parent path', () => {
    const steps = routes.flatMap(({ path }) =>
      path.split('/').map((_, position, parts) => parts.slice(0, position + 1).join('/') || '/'),
    );
    for (const path of [...steps, '/{proxy+}']) {
      expect(fallbackOf(path)['x-amazon-apigateway-integration'].type, path).toBe('mock');
    }
  });

  /** The response of a path's template to one request, by a minimal interpreter of its directives. */
  const respond = (path: string, method: string, origin: string | undefined) => {
    const { responses: mockResponses } = fallbackOf(path)['x-amazon-apigateway-integration'];
    const template = mockResponses.default.responseTemplates['application/json'];
    const headers: Record<string, string> = {};
    const variables: Record<string, string | undefined> = { $origin: origin, '$context.requestId': 'one' };
    let status = Number(mockResponses.default.statusCode);
    const text: string[] = [];
    const open: boolean[] = [];
    const isTrue = (condition: string): boolean => {
      if (condition === '$context.httpMethod == "OPTIONS"') return method === 'OPTIONS';
      if (condition === '!$origin || $origin == ""') return origin === undefined;
      return condition.split(' || ').includes(`$origin == ${JSON.stringify(origin)}`);
    };
    for (const line of template.split('\n')) {
      const condition = /^#if\((.*)\)$/.exec(line)?.[1];
      const [, name = '', value = ''] = /^#set\(\$context\.responseOverride\.header\.(\S+) = (.*)\)$/.exec(line) ?? [];
      if (condition !== undefined) open.push(isTrue(condition));
      else if (line === '#end') open.pop();
      else if (line === '#else') open.push(!open.pop());
      else if (open.includes(false)) continue;
      else if (name !== '')
        headers[name] = value.startsWith('$') ? (variables[value] ?? '') : (JSON.parse(value) as string);
      else if (line === '#set($context.responseOverride.status = 204)') status = 204;
      else if (!line.startsWith('#set(')) text.push(line);
    }
    return { status, headers, text: text.join('\n') };
  };
  const [own = ''] = config.allowedOrigins;
  const always = {
    'x-request-id': 'one',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
    'strict-transport-security': 'max-age=31536000',
    vary: 'Origin',
  };

  it('the open gateway responds to preflight requests with the CORS headers of functions', () => {
    for (const origin of config.allowedOrigins) {
      const headers = { ...always, ...preflightHeaders(origin, config.allowedOrigins) };
      expect(respond('/api/projects', 'OPTIONS', origin)).toEqual({ status: 204, headers, text: '' });
    }
    for (const origin of ['https://elsewhere.example', `${own}.elsewhere.example`, undefined]) {
      expect(respond('/api/projects', 'OPTIONS', origin)).toEqual({ status: 204, headers: always, text: '' });
    }
  });

  it('the open gateway responds to other methods of a path with the 405 of the contract', () => {
    expect(respond('/api/projects', 'PATCH', own)).toEqual({
      status: 405,
      headers: { ...always, ...corsHeaders(own, [own]), allow: 'GET, HEAD, POST, OPTIONS' },
      text: JSON.stringify({ error: 'Method not allowed', code: 'METHOD_NOT_ALLOWED' }),
    });
  });

  it('the open gateway responds to other requests with the 404 of the contract', () => {
    const text = JSON.stringify({ error: 'Not found', code: 'NOT_FOUND' });
    for (const path of ['/{proxy+}', '/api', '/api/admin']) {
      const { requestTemplates } = fallbackOf(path)['x-amazon-apigateway-integration'];
      expect(JSON.parse(requestTemplates['application/json'] ?? '')).toEqual({ statusCode: 404 });
      for (const method of ['PATCH', 'OPTIONS']) {
        expect(respond(path, method, own)).toEqual({
          status: 404,
          headers: { ...always, ...corsHeaders(own, [own]) },
          text,
        });
      }
      expect(respond(path, 'GET', 'https://elsewhere.example')).toEqual({ status: 404, headers: always, text });
      expect(respond(path, 'GET', undefined)).toEqual({ status: 404, headers: always, text });
    }
  });
});

it('the keyed gateway requires a key on every route', () => {
  expect(operationsOf(bodyOf('KeyedGateway')).every(({ operation }) => operation.security !== undefined)).toBe(true);
});

it('the keyed gateway limits rate and quota by usage plan', () => {
  const plans = ofType(api, 'AWS::ApiGateway::UsagePlan');
  expect(plans).toHaveLength(config.usagePlans.length);
  for (const [position, plan] of config.usagePlans.entries()) {
    expect(plans[position]?.properties).toMatchObject({
      Quota: { Limit: plan.requestsPerDay, Period: 'DAY' },
      Throttle: { RateLimit: plan.ratePerSecond, BurstLimit: plan.burst },
    });
  }
  const keys = ofType(api, 'AWS::ApiGateway::ApiKey').filter(({ properties }) => properties.Enabled !== false);
  expect(keys).toHaveLength(config.usagePlans.flatMap(({ clients }) => clients).length);
  expect(keys.some(({ properties }) => 'Value' in properties)).toBe(false);
});

describe('gateway responses', () => {
  const responses = bodyOf('Gateway')['x-amazon-apigateway-gateway-responses'];

  it.each(Object.entries(responses))('%s has the shape of the contract', (_, response) => {
    const body = JSON.parse(response.responseTemplates['application/json']) as { error: string; code: ErrorCode };
    expect(body.error).toBe(textOf(body.code));
    expect(response.statusCode).toBe(String(statusOf(body.code)));
    expect(response.responseParameters['gatewayresponse.header.x-request-id']).toBe('context.requestId');
    expect(response.responseParameters['gatewayresponse.header.strict-transport-security']).toBe("'max-age=31536000'");
  });

  it.each(['THROTTLED', 'QUOTA_EXCEEDED'])('%s has retryAfter in the body and as a header', (type) => {
    const response = responses[type];
    const { retryAfter } = JSON.parse(response?.responseTemplates['application/json'] ?? '') as { retryAfter: number };
    expect(retryAfter).toBeGreaterThan(0);
    expect(response?.responseParameters['gatewayresponse.header.retry-after']).toBe(`'${retryAfter}'`);
  });

  it('gateway responses have the size limit in the message of 413', () => {
    const body = JSON.parse(responses.REQUEST_TOO_LARGE?.responseTemplates['application/json'] ?? '') as object;
    expect(body).toMatchObject({ code: 'PAYLOAD_TOO_LARGE', message: expect.stringContaining('MB') as unknown });
  });

  it('gateway responses allow configured origins to read them, with credentials only for a single origin', () => {
    const originsOf = (all: Readonly<Record<string, Pick<GatewayResponse, 'responseParameters'>>>) =>
      Object.values(all).map(({ responseParameters }) => [
        responseParameters['gatewayresponse.header.access-control-allow-origin'],
        responseParameters['gatewayresponse.header.access-control-allow-credentials'],
        responseParameters['gatewayresponse.header.access-control-expose-headers'],
      ]);
    const exposed = `'${corsHeaders('https://a.example', ['https://a.example'])['access-control-expose-headers']}'`;
    const several = originsOf(responses);
    expect(config.allowedOrigins.length).toBeGreaterThan(1);
    expect(several.every((one) => JSON.stringify(one) === JSON.stringify(["'*'", undefined, exposed]))).toBe(true);
    const { allowedOrigins } = configOf('prod');
    expect(allowedOrigins).toHaveLength(1);
    const ofProd = named(full.api, 'AWS::ApiGateway::RestApi', 'GatewayApi').properties.Body as Body;
    const one = originsOf(ofProd['x-amazon-apigateway-gateway-responses']);
    expect(one).toContainEqual([`'${allowedOrigins[0]}'`, "'true'", exposed]);
    expect(new Set(one.map((each) => each.join())).size).toBe(1);
    expect(originsOf(gatewayResponses([])).flat()).not.toContainEqual(expect.anything());
    const keyed = bodyOf('KeyedGateway')['x-amazon-apigateway-gateway-responses'];
    expect(JSON.stringify(keyed)).not.toContain('access-control');
  });

  it('gateway responses exist for every response type of API Gateway', () => {
    const known = Object.values(ResponseType).filter((one) => one instanceof ResponseType);
    expect(known.length).toBeGreaterThan(20);
    expect(Object.keys(responses).sort()).toEqual(known.map(({ responseType }) => responseType).sort());
  });
});

it('shared caching is not done by the gateway, which would bypass rate limits', () => {
  for (const { properties } of ofType(api, 'AWS::ApiGateway::Stage')) {
    expect(properties).not.toHaveProperty('CacheClusterEnabled', true);
  }
});

const { domain = { name: '' } } = everything.api;
const restApi = (stage: Synthesized, gateway: string) =>
  named(stage.api, 'AWS::ApiGateway::RestApi', `${gateway}Api`).properties;

const plain = synthesize(config);

longTest('endpoints of the gateways accept the Host header of a proxy when the stage says so', () => {
  const behindProxy = synthesize({ ...config, api: { ...config.api, accessMode: 'basic' } });
  for (const gateway of ['Gateway', 'KeyedGateway']) {
    expect(restApi(behindProxy, gateway)).toMatchObject({
      EndpointAccessMode: 'BASIC',
      Body: { 'x-amazon-apigateway-endpoint-access-mode': 'BASIC' },
    });
  }
});

it('endpoints of the gateways require TLS 1.2 at their default addresses', () => {
  for (const gateway of ['Gateway', 'KeyedGateway']) {
    expect(restApi(plain, gateway)).toMatchObject({
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
      DisableExecuteApiEndpoint: false,
    });
  }
  expect(ofType(plain.api, 'AWS::ApiGateway::DomainName')).toEqual([]);
  expect(ofType(plain.api, 'AWS::WAFv2::WebACL')).toEqual([]);
});

it('endpoints of the gateways have custom domains with a certificate validated by DNS, and no default address', () => {
  const stage = full;
  expect(ofType(stage.api, 'AWS::CertificateManager::Certificate')[0]?.properties).toMatchObject({
    DomainName: domain.name,
    SubjectAlternativeNames: [domain.keyedName],
    ValidationMethod: 'DNS',
    DomainValidationOptions: [{ HostedZoneId: domain.hostedZone?.id }, { HostedZoneId: domain.hostedZone?.id }],
  });
  for (const [id, name, gateway] of [
    ['DomainOpen', domain.name, 'Gateway'],
    ['DomainKeyed', domain.keyedName, 'KeyedGateway'],
  ] as const) {
    const own = named(stage.api, 'AWS::ApiGateway::DomainName', id);
    expect(own.properties).toMatchObject({
      DomainName: name,
      EndpointConfiguration: { Types: ['REGIONAL'] },
      SecurityPolicy: 'SecurityPolicy_TLS13_1_2_PFS_PQ_2025_09',
      EndpointAccessMode: 'STRICT',
    });
    const mapping = ofType(stage.api, 'AWS::ApiGateway::BasePathMapping').find(
      ({ properties }) => targetOf(properties.DomainName) === own.logicalId,
    );
    expect(targetOf(mapping?.properties.RestApiId)).toBe(
      named(stage.api, 'AWS::ApiGateway::RestApi', `${gateway}Api`).logicalId,
    );
    expect(targetOf(mapping?.properties.Stage)).toMatch(new RegExp(`^${gateway}ApiDeploymentStage`));
    expect(mapping?.properties).not.toHaveProperty('BasePath');
    expect(ofType(stage.api, 'AWS::Route53::RecordSet').map(({ properties }) => properties.Name)).toContain(`${name}.`);
    expect(restApi(stage, gateway)).toMatchObject({
      DisableExecuteApiEndpoint: true,
      Body: {
        // OpenAPI 3 states this per server; at the top level of the document it would be ignored.
        servers: [
          {
            url: `https://${name}`,
            'x-amazon-apigateway-endpoint-configuration': { disableExecuteApiEndpoint: true },
          },
        ],
      },
    });
  }
});

longTest('endpoints of the gateways keep the default address of the keyed gateway without a second name', () => {
  const { keyedName: _, ...open } = domain;
  const stage = synthesize({ ...config, api: { endpoint: 'regional', domain: open } });
  expect(restApi(stage, 'Gateway')).toMatchObject({ DisableExecuteApiEndpoint: true });
  expect(restApi(stage, 'KeyedGateway')).toMatchObject({ DisableExecuteApiEndpoint: false });
  expect(ofType(stage.api, 'AWS::ApiGateway::DomainName')).toHaveLength(1);
});

longTest('endpoints of the gateways can be edge endpoints with a certificate whose ARN is read at deployment', () => {
  const stage = synthesize({
    ...config,
    api: { endpoint: 'edge', domain: { name: domain.name, certificateParameter: '/directory/dev/certificate' } },
  });
  const own = named(stage.api, 'AWS::ApiGateway::DomainName', 'DomainOpen').properties;
  expect(own).toMatchObject({
    EndpointConfiguration: { Types: ['EDGE'] },
    SecurityPolicy: 'SecurityPolicy_TLS12_PFS_2025_EDGE',
    EndpointAccessMode: 'STRICT',
  });
  expect(stage.api.text).toContain('"Default":"/directory/dev/certificate"');
  expect(targetOf(own.CertificateArn)).toContain('SsmParameterValue');
  for (const gateway of ['Gateway', 'KeyedGateway']) {
    expect(restApi(stage, gateway)).toMatchObject({
      EndpointConfiguration: { Types: ['EDGE'] },
      SecurityPolicy: 'SecurityPolicy_TLS12_PFS_2025_EDGE',
    });
  }
  expect(ofType(stage.api, 'AWS::CertificateManager::Certificate')).toEqual([]);
  expect(ofType(stage.api, 'AWS::Route53::RecordSet')).toEqual([]);
});

describe('the web ACL', () => {
  const withWebAcl = (managedRules: boolean) =>
    synthesize({ ...config, api: { endpoint: 'regional', waf: { requestsPerFiveMinutes: 2000, managedRules } } });
  const stage = full;
  const acl = named(stage.api, 'AWS::WAFv2::WebACL', 'FirewallAcl').properties as {
    readonly Rules: readonly Record<string, unknown>[];
    readonly CustomResponseBodies: Readonly<Record<string, { readonly Content: string; readonly ContentType: string }>>;
  };

  it('the web ACL protects both gateways', () => {
    const protectedStages = ofType(stage.api, 'AWS::WAFv2::WebACLAssociation').map(({ properties }) =>
      JSON.stringify(properties.ResourceArn),
    );
    expect(protectedStages).toHaveLength(2);
    for (const gateway of ['Gateway', 'KeyedGateway']) {
      const { logicalId } = named(stage.api, 'AWS::ApiGateway::Stage', `${gateway}ApiDeploymentStagelive`);
      expect(protectedStages.some((arn) => arn.includes(`"${logicalId}"`))).toBe(true);
    }
  });

  it('the web ACL blocks addresses above the limit with the 429 of the contract', () => {
    const [rule] = acl.Rules;
    expect(rule).toMatchObject({
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 2000, EvaluationWindowSec: 300 } },
      Action: { Block: { CustomResponse: { ResponseCode: 429, CustomResponseBodyKey: 'TooMany' } } },
    });
    expect(JSON.stringify(rule)).toContain('{"Name":"retry-after","Value":"300"}');
    expect(JSON.stringify(rule)).toContain('{"Name":"strict-transport-security","Value":"max-age=31536000"}');
    expect(acl.CustomResponseBodies.TooMany?.ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(acl.CustomResponseBodies.TooMany?.Content ?? '')).toEqual({
      error: textOf('RATE_LIMITED'),
      code: 'RATE_LIMITED',
      retryAfter: 300,
    });
  });

  longTest('the web ACL has managed rules only if configured', () => {
    expect(acl.Rules).toHaveLength(3);
    const alone = named(withWebAcl(false).api, 'AWS::WAFv2::WebACL', 'FirewallAcl').properties;
    expect(alone.Rules).toHaveLength(1);
  });

  it('the web ACL stores no sampled requests', () => {
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
  });
});
