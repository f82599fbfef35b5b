import { Aws, Duration, type Stack, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  FeaturePlan,
  Mfa,
  OAuthScope,
  ResourceServerScope,
  UserPool,
  type UserPoolClient,
  UserPoolEmail,
  VerificationEmailStyle,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import { pagePrefixes } from '#contract/languages.ts';
import { consoleAddresses, uniqueName } from '#lib/config/names.ts';
import { signInParameter } from '#lib/config/parameters.ts';
import { removalPolicyFor } from '#lib/config/removal.ts';
import type { Config } from '#lib/config/schema.ts';
import { SsmReference } from './ssm-reference.ts';

/** The issuer of accepted access tokens. */
export interface Issuer {
  readonly issuer: string;
  /** Accepted values of `aud` or `client_id`, alone or separated by commas; at least one. */
  readonly audiences: readonly string[];
  readonly jwksUri: string;
  /** The user pool of the stage; undefined for an issuer of the operator. */
  readonly pool?: { readonly id: string; readonly arn: string };
  /** The client of browsers at an issuer of the operator. */
  readonly clientId?: string | undefined;
  /** The client of the front end and the base URL of the sign-in pages; undefined for an issuer of the operator. */
  readonly browser?: { readonly clientId: string; readonly pagesUrl: string };
}

const passwordPolicy = {
  minLength: 10,
  requireLowercase: true,
  requireUppercase: true,
  requireDigits: true,
  requireSymbols: true,
};

/** Services have the rights of a user. Administrators are appointed in the directory, not by a scope. */
const SERVICE_SCOPE = new ResourceServerScope({
  scopeName: 'use',
  scopeDescription: 'Use the directory in the name of the service.',
});

/** The values that stacks deployed later use. */
type SignInValue = 'issuer' | 'audiences' | 'poolId' | 'clientId' | 'pagesUrl';

type UserPoolSettings = Extract<Config['identity'], { kind: 'cognito' }>;

const senderOf = ({ mail, site }: Config): UserPoolEmail =>
  UserPoolEmail.withSES({
    fromEmail: mail.from,
    fromName: site.name,
    sesRegion: Aws.REGION,
    ...(!mail.identity.includes('@') && { sesVerifiedDomain: mail.identity }),
  });

/**
 * The user pool of a stage without its own issuer: sign-in by email address, with optional MFA. The front end is a
 * public client that uses the authorization code flow with PKCE on the hosted pages. Each service is a client with the
 * client credentials flow; `aws cognito-idp describe-user-pool-client` returns its secret.
 */
export class SignIn extends Construct {
  readonly pool: UserPool;
  readonly web: UserPoolClient;
  /** Clients by service name. */
  readonly services: ReadonlyMap<string, UserPoolClient>;
  /** The base URL of the hosted pages and the token endpoint. */
  readonly pagesUrl: string;
  readonly #followed: Readonly<Record<SignInValue, SsmReference>>;

  constructor(scope: Construct, id: string, config: Config, settings: UserPoolSettings) {
    super(scope, id);
    this.pool = new UserPool(this, 'Users', {
      // The lowest plan that supports claims in access tokens.
      featurePlan: FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: true,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      keepOriginal: { email: true },
      standardAttributes: { email: { required: true, mutable: true }, fullname: { required: false, mutable: true } },
      userVerification: { emailStyle: VerificationEmailStyle.CODE, emailSubject: `Your code for ${config.site.name}` },
      passwordPolicy: { ...passwordPolicy, tempPasswordValidity: Duration.days(3) },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      email: settings.mail === 'ses' ? senderOf(config) : UserPoolEmail.withCognito(),
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      deletionProtection: config.protect,
      removalPolicy: removalPolicyFor(config),
    });
    Validations.of(this.pool).acknowledge(
      {
        id: 'AwsSolutions-COG2',
        reason: 'MFA is optional for members of a public directory; administrators are advised to use it.',
      },
      {
        id: 'AwsSolutions-COG8',
        reason: 'The plus tier is billed per user, and many users of a public directory never return.',
      },
    );
    const urlsOf = (page: string) => consoleAddresses(config).map((address) => `${address}/${page}`);
    const prefixes = pagePrefixes(config.site.languages);
    const consoleUrls = urlsOf('console');
    this.web = this.pool.addClient('Web', {
      generateSecret: false,
      authFlows: { userSrp: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [
          `${config.site.url}/auth/callback`,
          ...prefixes.map((prefix) => `${config.site.url}${prefix}/sign-in`),
          ...consoleUrls.map((url) => `${url}/callback`),
        ],
        logoutUrls: [
          ...prefixes.map((prefix) => `${config.site.url}${prefix || '/'}`),
          ...consoleUrls,
          ...urlsOf('docs'),
        ],
      },
      accessTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.days(30),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
    const { domainPrefix = uniqueName(config) } = settings;
    const pages = this.pool.addDomain('Pages', { cognitoDomain: { domainPrefix } });
    this.pagesUrl = pages.baseUrl();
    this.services = this.#clientsOf(settings.services);
    const followed = (valueId: string, parameter: string, value: string) =>
      new SsmReference(scope, valueId, signInParameter(config, parameter), value);
    this.#followed = {
      issuer: followed('SignInIssuer', 'issuer', this.pool.userPoolProviderUrl),
      audiences: followed(
        'SignInAudiences',
        'audiences',
        [this.web, ...this.services.values()].map((client) => client.userPoolClientId).join(','),
      ),
      poolId: followed('SignInPoolId', 'pool-id', this.pool.userPoolId),
      clientId: followed('SignInClientId', 'client-id', this.web.userPoolClientId),
      pagesUrl: followed('SignInPagesUrl', 'pages-url', this.pagesUrl),
    };
  }

  /**
   * The issuer, for a stack that is deployed later. Pool and clients can be replaced or removed before it is. Getters,
   * because each value that is read becomes a parameter of the stack.
   */
  readIn(stack: Stack): Issuer {
    const read = (name: SignInValue) => this.#followed[name].readIn(stack);
    return {
      get issuer() {
        return read('issuer');
      },
      get audiences() {
        return [read('audiences')];
      },
      get jwksUri() {
        return `${read('issuer')}/.well-known/jwks.json`;
      },
      get pool() {
        const id = read('poolId');
        return { id, arn: stack.formatArn({ service: 'cognito-idp', resource: 'userpool', resourceName: id }) };
      },
      get browser() {
        return { clientId: read('clientId'), pagesUrl: read('pagesUrl') };
      },
    };
  }

  #clientsOf(names: readonly string[]): ReadonlyMap<string, UserPoolClient> {
    if (names.length === 0) return new Map();
    const server = this.pool.addResourceServer('Api', { identifier: 'directory', scopes: [SERVICE_SCOPE] });
    return new Map(
      names.map((name) => [
        name,
        this.pool.addClient(`Service${name}`, {
          generateSecret: true,
          oAuth: {
            flows: { clientCredentials: true },
            scopes: [OAuthScope.resourceServer(server, SERVICE_SCOPE)],
          },
          accessTokenValidity: Duration.hours(1),
          enableTokenRevocation: true,
        }),
      ]),
    );
  }
}
