import { Aws, CrossStackReferences, Duration, ReferenceStrength, Validations } from 'aws-cdk-lib';
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
import type { Config } from '../config.ts';
import { nameOfItsOwn } from './addresses.ts';
import { removalOf } from './removal.ts';

/** Whose access tokens are believed. */
export interface Issuer {
  readonly issuer: string;
  /** Accepted values of `aud` or `client_id`. Empty: any client of the issuer. */
  readonly audiences: readonly string[];
  readonly jwksUri: string;
}

const policyOf = {
  minLength: 10,
  requireLowercase: true,
  requireUppercase: true,
  requireDigits: true,
  requireSymbols: true,
};

/** What a service may do with its token: what any user may. Administrators are made in the directory, not by a scope. */
const SERVICE_SCOPE = new ResourceServerScope({
  scopeName: 'use',
  scopeDescription: 'Use the directory in the name of the service.',
});

export type UserPoolSettings = Extract<Config['identity'], { kind: 'cognito' }>;

const senderOf = ({ mail, site }: Config): UserPoolEmail =>
  UserPoolEmail.withSES({
    fromEmail: mail.from,
    fromName: site.name,
    sesRegion: Aws.REGION,
    ...(!mail.identity.includes('@') && { sesVerifiedDomain: mail.identity }),
  });

/**
 * The users of a stage that brings no issuer of its own: sign-in by address, a second factor for whoever wants one. The
 * front end signs in as a public client with a code and PKCE, on the hosted pages. Services get tokens in their own names,
 * each as a client whose secret Cognito makes and only `aws cognito-idp describe-user-pool-client` shows.
 */
export class SignIn extends Construct implements Issuer {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly jwksUri: string;
  readonly pool: UserPool;
  readonly web: UserPoolClient;
  /** Clients by the names of the services. */
  readonly services: ReadonlyMap<string, UserPoolClient>;
  /** Where the hosted pages and the endpoint for tokens are. */
  readonly pagesUrl: string;

  constructor(scope: Construct, id: string, config: Config, settings: UserPoolSettings) {
    super(scope, id);
    this.pool = new UserPool(this, 'Users', {
      // The least one in which access tokens can be given claims.
      featurePlan: FeaturePlan.ESSENTIALS,
      selfSignUpEnabled: true,
      signInAliases: { email: true },
      signInCaseSensitive: false,
      autoVerify: { email: true },
      keepOriginal: { email: true },
      standardAttributes: { email: { required: true, mutable: true }, fullname: { required: false, mutable: true } },
      userVerification: { emailStyle: VerificationEmailStyle.CODE, emailSubject: `Your code for ${config.site.name}` },
      passwordPolicy: { ...policyOf, tempPasswordValidity: Duration.days(3) },
      mfa: Mfa.OPTIONAL,
      mfaSecondFactor: { otp: true, sms: false },
      email: settings.mail === 'ses' ? senderOf(config) : UserPoolEmail.withCognito(),
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      deletionProtection: config.protect,
      removalPolicy: removalOf(config),
    });
    Validations.of(this.pool).acknowledge(
      {
        id: 'AwsSolutions-COG2',
        reason: 'Members of a public directory choose for themselves; administrators are told to.',
      },
      {
        id: 'AwsSolutions-COG8',
        reason: 'The plus tier is paid per user; a public directory has many who never return.',
      },
    );
    this.web = this.pool.addClient('Web', {
      generateSecret: false,
      authFlows: { userSrp: true },
      oAuth: {
        flows: { authorizationCodeGrant: true },
        scopes: [OAuthScope.OPENID, OAuthScope.EMAIL, OAuthScope.PROFILE],
        callbackUrls: [`${config.site.url}/auth/callback`],
        logoutUrls: [`${config.site.url}/`],
      },
      accessTokenValidity: Duration.hours(1),
      refreshTokenValidity: Duration.days(30),
      enableTokenRevocation: true,
      preventUserExistenceErrors: true,
    });
    const { domainPrefix = nameOfItsOwn(config) } = settings;
    this.pagesUrl = this.pool.addDomain('Pages', { cognitoDomain: { domainPrefix } }).baseUrl();
    this.services = this.#clientsOf(settings.services);
    // A stage must be able to take a service away, or to bring an issuer of its own, before its other stacks are told.
    for (const one of [this.pool, this.web, ...this.services.values()]) {
      CrossStackReferences.of(one).produce(ReferenceStrength.WEAK);
    }
    this.issuer = this.pool.userPoolProviderUrl;
    this.audiences = [this.web, ...this.services.values()].map((client) => client.userPoolClientId);
    this.jwksUri = `${this.issuer}/.well-known/jwks.json`;
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
