import { Duration, RemovalPolicy, Validations } from 'aws-cdk-lib';
import {
  AccountRecovery,
  FeaturePlan,
  Mfa,
  OAuthScope,
  UserPool,
  type UserPoolClient,
  VerificationEmailStyle,
} from 'aws-cdk-lib/aws-cognito';
import { Construct } from 'constructs';
import type { Config } from '../config.ts';

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

/**
 * The users of a stage that brings no issuer of its own: sign-in by address, a second factor for whoever wants one. The
 * front end signs in as a public client with a code and PKCE, on the hosted pages where the stage has a name for them.
 */
export class SignIn extends Construct implements Issuer {
  readonly issuer: string;
  readonly audiences: readonly string[];
  readonly jwksUri: string;
  readonly pool: UserPool;
  readonly web: UserPoolClient;

  constructor(scope: Construct, id: string, config: Config, domainPrefix: string | undefined) {
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
      accountRecovery: AccountRecovery.EMAIL_ONLY,
      deletionProtection: config.protect,
      removalPolicy: config.retain ? RemovalPolicy.RETAIN : RemovalPolicy.DESTROY,
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
    if (domainPrefix !== undefined) this.pool.addDomain('Pages', { cognitoDomain: { domainPrefix } });
    this.issuer = this.pool.userPoolProviderUrl;
    this.audiences = [this.web.userPoolClientId];
    this.jwksUri = `${this.issuer}/.well-known/jwks.json`;
  }
}
