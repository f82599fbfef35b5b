import { expect, it } from 'vitest';
import { servedRoutes } from '#contract/feeds.ts';
import { routes } from '#contract/table.ts';
import { configOf } from '#lib/config.ts';
import { longTest } from '#test/support/long-test.ts';
import { named, ofType, synthesize, targetOf, withCdn } from './synthesized.ts';

interface Behavior {
  readonly PathPattern?: string;
  readonly AllowedMethods: readonly string[];
  readonly CachePolicyId: unknown;
  readonly OriginRequestPolicyId: unknown;
  readonly ResponseHeadersPolicyId?: unknown;
  readonly ViewerProtocolPolicy: string;
  readonly Compress: boolean;
}
interface Settings {
  readonly Aliases: readonly string[];
  readonly HttpVersion: string;
  readonly ViewerCertificate: Readonly<Record<string, unknown>>;
  readonly DefaultCacheBehavior: Behavior;
  readonly CacheBehaviors: readonly Behavior[];
  readonly CustomErrorResponses: readonly { readonly ErrorCode: number; readonly ErrorCachingMinTTL: number }[];
  readonly Origins: readonly {
    readonly OriginCustomHeaders: readonly { readonly HeaderName: string; readonly HeaderValue: unknown }[];
    readonly CustomOriginConfig: Readonly<Record<string, unknown>>;
  }[];
  readonly WebACLId?: unknown;
}

// The ids of the managed policies CachingDisabled and AllViewerExceptHostHeader.
const CACHING_DISABLED = '4135ea2d-6df8-44a3-9df3-4b5a84be39ad';
const ALL_EXCEPT_HOST = 'b689b0a8-53d0-40ab-baf2-68738e2966ac';

const { api } = synthesize(withCdn);
const settings = named(api, 'AWS::CloudFront::Distribution', 'CdnDistribution').properties
  .DistributionConfig as Settings;
const pages = settings.DefaultCacheBehavior;

/** The behaviour of a path: the first whose pattern matches. */
const behaviorOf = (path: string): Behavior =>
  settings.CacheBehaviors.find(({ PathPattern = '' }) =>
    new RegExp(`^${PathPattern.replaceAll('.', '\\.').replaceAll('*', '.*')}$`).test(path),
  ) ?? pages;

it.each(servedRoutes<{ id: string; path: string }>(routes).map(({ id, path }) => [id, path] as const))(
  'CloudFront keeps %s only if it is a page',
  (id, path) => {
    const address = path.replaceAll(/\{\w+\}/g, 'some.thing');
    const { CachePolicyId, OriginRequestPolicyId, AllowedMethods, Compress } = behaviorOf(address);
    // A slash at the end means nothing.
    expect(behaviorOf(`${address}/`)).toMatchObject({ CachePolicyId, AllowedMethods });
    if (id.startsWith('site.')) {
      expect(targetOf(CachePolicyId)).toMatch(/^CdnCache/);
      expect(Compress).toBe(true);
      expect(AllowedMethods).toEqual(['GET', 'HEAD', 'OPTIONS']);
    } else {
      expect({ CachePolicyId, OriginRequestPolicyId }).toEqual({
        CachePolicyId: CACHING_DISABLED,
        OriginRequestPolicyId: ALL_EXCEPT_HOST,
      });
      expect(AllowedMethods).toEqual(expect.arrayContaining(['GET', 'HEAD', 'OPTIONS', 'PUT', 'POST', 'DELETE']));
    }
  },
);

it('CloudFront keeps a page by its path and query, no longer than the page says, and no error', () => {
  expect(named(api, 'AWS::CloudFront::CachePolicy', 'CdnCache').properties.CachePolicyConfig).toMatchObject({
    MinTTL: 0,
    DefaultTTL: 0,
    ParametersInCacheKeyAndForwardedToOrigin: {
      CookiesConfig: { CookieBehavior: 'none' },
      HeadersConfig: { HeaderBehavior: 'none' },
      QueryStringsConfig: { QueryStringBehavior: 'all' },
      EnableAcceptEncodingGzip: true,
      EnableAcceptEncodingBrotli: true,
    },
  });
  expect(
    named(api, 'AWS::CloudFront::OriginRequestPolicy', 'CdnRequest').properties.OriginRequestPolicyConfig,
  ).toMatchObject({
    CookiesConfig: { CookieBehavior: 'none' },
    HeadersConfig: { HeaderBehavior: 'whitelist', Headers: ['Accept'] },
  });
  const kept = settings.CustomErrorResponses.filter(({ ErrorCachingMinTTL }) => ErrorCachingMinTTL > 0);
  expect(kept).toEqual([]);
  expect(settings.CustomErrorResponses.map(({ ErrorCode }) => ErrorCode)).toEqual(
    expect.arrayContaining([400, 403, 404, 405, 500, 502, 503, 504]),
  );
});

it('CloudFront passes the security headers on, and of a kept page none that concerned its first caller', () => {
  const policies = ofType(api, 'AWS::CloudFront::ResponseHeadersPolicy');
  expect(policies.map(({ properties }) => properties.ResponseHeadersPolicyConfig)).toEqual([
    expect.objectContaining({
      RemoveHeadersConfig: { Items: ['ratelimit', 'ratelimit-policy', 'x-request-id'].map((Header) => ({ Header })) },
    }),
  ]);
  const all = [pages, ...settings.CacheBehaviors];
  expect(all.filter(({ ResponseHeadersPolicyId }) => ResponseHeadersPolicyId !== undefined)).toEqual([pages]);
  expect(new Set(all.map(({ ViewerProtocolPolicy }) => ViewerProtocolPolicy))).toEqual(new Set(['redirect-to-https']));
});

it('CloudFront speaks HTTP/3 and TLS 1.2 or later, at the address of the site', () => {
  expect(settings).toMatchObject({
    Aliases: ['directory.example'],
    HttpVersion: 'http2and3',
    ViewerCertificate: { MinimumProtocolVersion: 'TLSv1.2_2025', SslSupportMethod: 'sni-only' },
  });
  expect(settings.Origins.map(({ CustomOriginConfig }) => CustomOriginConfig)).toEqual([
    expect.objectContaining({ OriginProtocolPolicy: 'https-only', OriginSSLProtocols: ['TLSv1.2'] }),
  ]);
  const records = ofType(api, 'AWS::Route53::RecordSet').map(
    ({ properties: { Name, Type } }) => `${String(Name)} ${String(Type)}`,
  );
  expect(records).toEqual(expect.arrayContaining(['directory.example. A', 'directory.example. AAAA']));
});

it('the gateway recognizes CloudFront by a key that no template contains', () => {
  const [secret] = ofType(api, 'AWS::SecretsManager::Secret');
  const value = {
    'Fn::Join': ['', ['{{resolve:secretsmanager:', { Ref: secret?.logicalId }, ':SecretString:::}}']],
  };
  expect(settings.Origins.map(({ OriginCustomHeaders }) => OriginCustomHeaders)).toEqual([
    [{ HeaderName: 'x-api-key', HeaderValue: value }],
  ]);
  const keys = ofType(api, 'AWS::ApiGateway::ApiKey').filter(({ properties }) => properties.Value !== undefined);
  expect(keys.map(({ properties: { Value, Enabled } }) => ({ Value, Enabled }))).toEqual([
    { Value: value, Enabled: true },
  ]);
  // No quota: it would end the pages for everybody.
  const plans = ofType(api, 'AWS::ApiGateway::UsagePlan').map(({ properties }) => properties);
  expect(plans.filter(({ Quota }) => Quota === undefined)).toHaveLength(1);
});

longTest('a raised site.cdn.originKey replaces secret and key', () => {
  const cdn = { ...withCdn.site.cdn, originKey: 2 };
  const raised = synthesize({ ...withCdn, site: { ...withCdn.site, cdn } });
  for (const type of ['AWS::SecretsManager::Secret', 'AWS::ApiGateway::UsagePlanKey']) {
    const known = ofType(api, type).map(({ logicalId }) => logicalId);
    const others = ofType(raised.api, type).filter(({ logicalId }) => !known.includes(logicalId));
    expect(others, type).toHaveLength(1);
  }
});

it('the user pool returns to the console at the address of CloudFront', () => {
  const clients = ofType(synthesize(withCdn).data, 'AWS::Cognito::UserPoolClient');
  expect(clients[0]?.properties.CallbackURLs).toContain('https://directory.example/console/callback');
});

it('a stage without site.cdn has neither CloudFront nor a secret', () => {
  const { resources } = synthesize(configOf('prod')).api;
  expect(resources.filter(({ type }) => /CloudFront|SecretsManager/.test(type))).toEqual([]);
});
