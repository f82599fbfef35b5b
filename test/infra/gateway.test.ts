import { Validator } from '@seriousme/openapi-schema-validator';
import { ResponseType } from 'aws-cdk-lib/aws-apigateway';
import { describe, expect, it } from 'vitest';
import { doorIdOf, routes } from '#contract/table.ts';
import { corsHeaders, preflightHeaders } from '#http/cors.ts';
import { type Config, configOf } from '#lib/config.ts';
import { constructIdOf } from '#lib/doors.ts';
import { type ErrorCode, statusOf, textOf } from '#shared/errors.ts';
import { named, ofType, type Synthesized, settled, synthesize, targetOf } from './synthesized.ts';

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
  readonly responseTemplates: { readonly 'application/json': string };
}
interface Fallback {
  readonly 'x-amazon-apigateway-integration': {
    readonly type: string;
    readonly requestTemplates: Readonly<Record<string, string>>;
    readonly responses: { readonly default: MockAnswer };
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
    if (route.auth === 'cron') expect(JSON.stringify(parts)).toContain(`PublishOutputFnGetAtt${target}Arn`);
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

  it('is set to the same by its document, which takes the place of its settings whenever it changes', () => {
    const { properties } = named(api, 'AWS::ApiGateway::RestApi', gateway);
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

  const { requestTemplates, responses: answers } = fallbackOf('/{proxy+}')['x-amazon-apigateway-integration'];
  const template = answers.default.responseTemplates['application/json'];
  /** What the template says to one caller, read as its few directives are meant. */
  const said = (method: string, origin: string | undefined) => {
    const headers: Record<string, string> = {};
    const variables: Record<string, string | undefined> = { $origin: origin, '$context.requestId': 'one' };
    let status = 404;
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
    vary: 'Origin',
  };

  it('answers a browser’s question with the headers that functions would send', () => {
    for (const origin of config.allowedOrigins) {
      const headers = { ...always, ...preflightHeaders(origin, config.allowedOrigins) };
      expect(said('OPTIONS', origin)).toEqual({ status: 204, headers, text: '' });
    }
    for (const origin of ['https://elsewhere.example', `${own}.elsewhere.example`, undefined]) {
      expect(said('OPTIONS', origin)).toEqual({ status: 204, headers: always, text: '' });
    }
  });

  it('answers anything else with the contract’s 404', () => {
    expect(JSON.parse(requestTemplates['application/json'] ?? '')).toEqual({ statusCode: 404 });
    const text = JSON.stringify({ error: 'Not found', code: 'NOT_FOUND' });
    expect(said('PATCH', own)).toEqual({ status: 404, headers: { ...always, ...corsHeaders(own, [own]) }, text });
    expect(said('GET', 'https://elsewhere.example')).toEqual({ status: 404, headers: always, text });
    expect(said('GET', undefined)).toEqual({ status: 404, headers: always, text });
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

  it('can be read by a page of any configured origin, and never with credentials by others', () => {
    const originsOf = (stage: string | Config) => {
      const body = named(synthesize(stage).api, 'AWS::ApiGateway::RestApi', 'Gateway').properties.Body as Body;
      return Object.values(body['x-amazon-apigateway-gateway-responses']).map(({ responseParameters }) => [
        responseParameters['gatewayresponse.header.access-control-allow-origin'],
        responseParameters['gatewayresponse.header.access-control-allow-credentials'],
        responseParameters['gatewayresponse.header.access-control-expose-headers'],
      ]);
    };
    const exposed = `'${corsHeaders('https://a.example', ['https://a.example'])['access-control-expose-headers']}'`;
    const several = originsOf({ ...config, allowedOrigins: ['https://a.example', 'https://b.example'] });
    expect(several.every((one) => JSON.stringify(one) === JSON.stringify(["'*'", undefined, exposed]))).toBe(true);
    const one = originsOf({ ...config, allowedOrigins: ['https://a.example'] });
    expect(one).toContainEqual(["'https://a.example'", "'true'", exposed]);
    expect(new Set(one.map((each) => each.join())).size).toBe(1);
    expect(originsOf({ ...config, allowedOrigins: [] }).flat()).not.toContainEqual(expect.anything());
    const keyed = bodyOf('KeyedGateway')['x-amazon-apigateway-gateway-responses'];
    expect(JSON.stringify(keyed)).not.toContain('access-control');
  });

  it('are there for every occasion that the gateway knows', () => {
    const known = Object.values(ResponseType).filter((one) => one instanceof ResponseType);
    expect(known.length).toBeGreaterThan(20);
    expect(Object.keys(responses).sort()).toEqual(known.map(({ responseType }) => responseType).sort());
  });
});

describe('what shared caches may keep', () => {
  it.each([
    ['projects.map', 120],
    ['settings.readPublic', 1],
    ['settings.readThemeCss', 1],
  ])('is %s, for %i seconds', (id, seconds) => {
    const route = routes.find((one) => one.id === id);
    expect(route).toMatchObject({ auth: 'public', method: 'GET', cacheSeconds: seconds });
  });

  it('is never kept by the gateway itself, which would count nobody', () => {
    for (const { properties } of ofType(api, 'AWS::ApiGateway::Stage')) {
      expect(properties).not.toHaveProperty('CacheClusterEnabled', true);
    }
  });
});

const domain = {
  name: 'api.directory.example',
  keyedName: 'clients.directory.example',
  hostedZone: { id: 'Z0123456789ABC', name: 'directory.example' },
};
const restApi = (stage: Synthesized, gateway: string) =>
  named(stage.api, 'AWS::ApiGateway::RestApi', gateway).properties;

describe('the way to the gateways', () => {
  const plain = synthesize(config);

  it('is encrypted with nothing older than TLS 1.2 at their own address', () => {
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

  it('has names of its own, a certificate proven in its zone, and no other way in', () => {
    const stage = synthesize({ ...config, api: { endpoint: 'regional', domain } });
    expect(stage.findings).toEqual([]);
    expect(ofType(stage.api, 'AWS::CertificateManager::Certificate')[0]?.properties).toMatchObject({
      DomainName: domain.name,
      SubjectAlternativeNames: [domain.keyedName],
      ValidationMethod: 'DNS',
      DomainValidationOptions: [{ HostedZoneId: domain.hostedZone.id }, { HostedZoneId: domain.hostedZone.id }],
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
        named(stage.api, 'AWS::ApiGateway::RestApi', gateway).logicalId,
      );
      expect(targetOf(mapping?.properties.Stage)).toMatch(new RegExp(`^${gateway}DeploymentStage`));
      expect(mapping?.properties).not.toHaveProperty('BasePath');
      expect(ofType(stage.api, 'AWS::Route53::RecordSet').map(({ properties }) => properties.Name)).toContain(
        `${name}.`,
      );
      expect(restApi(stage, gateway)).toMatchObject({
        DisableExecuteApiEndpoint: true,
        Body: {
          // In OpenAPI 3 a server says it; at the top of the document it would be passed over.
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

  it('leaves clients with keys at the gateway’s own address where they have no name', () => {
    const { keyedName: _, ...open } = domain;
    const stage = synthesize({ ...config, api: { endpoint: 'regional', domain: open } });
    expect(restApi(stage, 'Gateway')).toMatchObject({ DisableExecuteApiEndpoint: true });
    expect(restApi(stage, 'KeyedGateway')).toMatchObject({ DisableExecuteApiEndpoint: false });
    expect(ofType(stage.api, 'AWS::ApiGateway::DomainName')).toHaveLength(1);
  });

  it('goes by the edge, with a certificate whose address is read at deployment', () => {
    const stage = synthesize({
      ...config,
      api: { endpoint: 'edge', domain: { name: domain.name, certificateParameter: '/directory/dev/certificate' } },
    });
    expect(stage.findings).toEqual([]);
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

  it('trusts no proxies behind an edge, which writes addresses of its own behind theirs', () => {
    expect(() => configOf('dev', { dev: { api: { endpoint: 'edge' }, trustedProxies: ['10.0.0.0/8'] } })).toThrow(
      'trustedProxies: must be empty with the edge',
    );
  });
});

describe('the firewall', () => {
  const withFirewall = (managedRules: boolean) =>
    synthesize({ ...config, api: { endpoint: 'regional', waf: { requestsPerFiveMinutes: 2000, managedRules } } });
  const stage = withFirewall(true);
  const acl = named(stage.api, 'AWS::WAFv2::WebACL', 'FirewallAcl').properties as {
    readonly Rules: readonly Record<string, unknown>[];
    readonly CustomResponseBodies: Readonly<Record<string, { readonly Content: string; readonly ContentType: string }>>;
  };

  it('stands in front of both gateways, and the checks are content with it', () => {
    expect(stage.findings).toEqual([]);
    const protectedStages = ofType(stage.api, 'AWS::WAFv2::WebACLAssociation').map(({ properties }) =>
      JSON.stringify(properties.ResourceArn),
    );
    expect(protectedStages).toHaveLength(2);
    for (const gateway of ['Gateway', 'KeyedGateway']) {
      const { logicalId } = named(stage.api, 'AWS::ApiGateway::Stage', `${gateway}DeploymentStagelive`);
      expect(protectedStages.some((arn) => arn.includes(`"${logicalId}"`))).toBe(true);
    }
  });

  it('answers an address that asks too often as the contract does', () => {
    const [rule] = acl.Rules;
    expect(rule).toMatchObject({
      Statement: { RateBasedStatement: { AggregateKeyType: 'IP', Limit: 2000, EvaluationWindowSec: 300 } },
      Action: { Block: { CustomResponse: { ResponseCode: 429, CustomResponseBodyKey: 'TooMany' } } },
    });
    expect(JSON.stringify(rule)).toContain('{"Name":"retry-after","Value":"300"}');
    expect(acl.CustomResponseBodies.TooMany?.ContentType).toBe('APPLICATION_JSON');
    expect(JSON.parse(acl.CustomResponseBodies.TooMany?.Content ?? '')).toEqual({
      error: textOf('RATE_LIMITED'),
      code: 'RATE_LIMITED',
      retryAfter: 300,
    });
  });

  it('asks Amazon’s rules only where the stage wants them', () => {
    expect(acl.Rules).toHaveLength(3);
    const alone = named(withFirewall(false).api, 'AWS::WAFv2::WebACL', 'FirewallAcl').properties;
    expect(alone.Rules).toHaveLength(1);
  });

  it('keeps no samples of requests', () => {
    expect(JSON.stringify(acl)).not.toContain('"SampledRequestsEnabled":true');
  });
});
