import { describe, expect, it } from 'vitest';
import { routes } from '#contract/table.ts';
import type { Config } from '#lib/config/schema.ts';
import { configOf } from '#lib/config.ts';
import { wildcardActions } from '#lib/iam/permissions.ts';
import { isFullRun } from '#test/support/sample.ts';
import { actionsIn, type Statement } from './statements.ts';
import { everything, type SynthesizedStack, synthesize, withCdn } from './synthesized.ts';

/**
 * Forbidden contents and size limits of the templates of the named stages, of sandboxes, and of a stage with every
 * feature.
 */

/** The budget of a template; CloudFormation accepts 1,000,000 bytes. */
const TEMPLATE_BYTES_MAX = 700_000;

/** The number of routes for which there must be room, if everything in a template grows with them. */
const ROUTES_MAX = 300;
const GROWN_BYTES_MAX = 900_000;
const GROWTH = ROUTES_MAX / routes.length;

/** Limits of CloudFormation per template. */
const RESOURCES_MAX = 500;
const PARAMETERS_MAX = 200;
const OUTPUTS_MAX = 200;

const stages: readonly (readonly [name: string, config: Config])[] = [
  ...['dev', 'prod', ...(isFullRun ? ['staging', 'a', 'sandbox-of-20-letter'] : [])].map(
    (name) => [name, configOf(name)] as const,
  ),
  ['prod with everything', everything],
  ['prod with CloudFront', withCdn],
];

/** Every value under a member with a matching name, at any depth. */
function* under(node: unknown, name: RegExp): Generator<readonly [string, unknown]> {
  if (typeof node !== 'object' || node === null) return;
  for (const [key, value] of Object.entries(node)) {
    if (name.test(key)) yield [key, value];
    yield* under(value, name);
  }
}

interface AllowStatement extends Statement {
  readonly Effect: 'Allow' | 'Deny';
  readonly Principal?: { readonly Service?: unknown };
}

/** They assume roles without naming an account; the log role of API Gateway is one of the account itself. */
const UNCONDITIONAL_SERVICES: ReadonlySet<string> = new Set([
  '"lambda.amazonaws.com"',
  '"backup.amazonaws.com"',
  // Does not send the keys when it assumes the role of an integration.
  '"apigateway.amazonaws.com"',
]);

// Web ACLs have statements too, which allow nothing.
const isAllow = (statement: unknown): statement is AllowStatement =>
  (statement as Partial<AllowStatement>).Effect === 'Allow';

/** The allow statements of all policies: of roles, queues, topics and vaults. */
const allowStatementsIn = ({ resources }: SynthesizedStack): readonly { of: string; statement: AllowStatement }[] =>
  resources
    // In a key policy, `*` is the key itself, and its account has full access.
    .filter(({ type }) => type !== 'AWS::KMS::Key')
    .flatMap(({ logicalId, type, properties }) =>
      [...under(properties, /^Statement$/)]
        .flatMap(([, statements]) => [statements].flat())
        .filter(isAllow)
        .map((statement) => ({ of: `${type} ${logicalId}`, statement })),
    );

describe.each(stages)('the templates of %s', (_, config) => {
  const { all } = synthesize(config);

  const templates = all.flatMap((stack) => stack.templates);

  it.each(templates)('$name: is within its budget of bytes, also with more routes', ({ text }) => {
    expect(Buffer.byteLength(text)).toBeLessThan(TEMPLATE_BYTES_MAX);
    expect(Buffer.byteLength(text) * GROWTH).toBeLessThan(GROWN_BYTES_MAX);
  });

  it.each(templates)('$name: is within the limits of CloudFormation, also with more routes', ({ content }) => {
    const { Resources, Parameters = {}, Outputs = {} } = content;
    expect(Object.keys(Resources).length * GROWTH).toBeLessThan(RESOURCES_MAX);
    expect(Object.keys(Parameters).length * GROWTH).toBeLessThan(PARAMETERS_MAX);
    expect(Object.keys(Outputs).length).toBeLessThan(OUTPUTS_MAX);
  });

  it.each(all)('$name: contains no secret and no property for one', ({ name, resources, text }) => {
    expect(text).not.toMatch(
      /sk_(?:live|test)_|rk_(?:live|test)_|whsec_|AKIA[A-Z0-9]{16}|-----BEGIN|xox[bp]-|ghp_|eyJhbGci/,
    );
    // The key of CloudFront, at the gateway and in the distribution; Secrets Manager generates it.
    const isCdn = config.site.cdn !== undefined && name.endsWith('-api');
    expect(text.match(/\{\{resolve:secretsmanager/g) ?? []).toHaveLength(isCdn ? 2 : 0);
    for (const { logicalId, type, properties } of resources) {
      const held = [...under(properties, /^(?:SecretString|Password|ClientSecret|AuthToken)$/)];
      expect(held, `${type} ${logicalId}`).toEqual([]);
      // Cognito generates client secrets, which are not in the template.
      if (type === 'AWS::SecretsManager::Secret') expect(isCdn, logicalId).toBe(true);
      // Stacks pass on attributes of resources through Parameter Store, which are public names and addresses.
      if (type === 'AWS::SSM::Parameter') {
        expect(properties.Type).toBe('String');
        expect(typeof properties.Value, logicalId).not.toBe('string');
      }
    }
  });

  it.each(all)('$name: has variables with parameter names instead of secrets', ({ resources }) => {
    for (const { properties } of resources.filter(({ type }) => type === 'AWS::Lambda::Function')) {
      const { Variables = {} } = (properties.Environment ?? {}) as { Variables?: Record<string, unknown> };
      const secret = Object.keys(Variables).filter((name) => /SECRET|KEY|TOKEN|PASSWORD|CREDENTIAL/.test(name));
      // The id of a key, the address of a token endpoint and the key that IndexNow publishes are no secrets.
      expect(secret.filter((name) => !/_PARAMETER$|_KEY_ID$|_URL$|^INDEXNOW_KEY$/.test(name))).toEqual([]);
    }
  });

  it.each(all)('$name: contains no email address except those of the settings', ({ text }) => {
    const own = [config.mail.from, config.alarms.email, ...config.adminEmails];
    const found = [...text.matchAll(/[\w.+-]+@[\w-]+(?:\.[\w-]+)+/g)].map(([address]) => address);
    expect([...new Set(found)].filter((address) => !own.includes(address))).toEqual([]);
  });

  it.each(all)('$name: contains no account and no region', ({ text }) => {
    expect(text).not.toMatch(/(?<![\w.])\d{12}(?![\w.])/);
    expect(text).not.toMatch(/\b(?:us|eu|ap|ca|sa|me|af|il|mx)-[a-z]+-\d\b/);
  });

  it.each(all)('$name: allows listed actions only on all resources', (stack) => {
    for (const { of, statement } of allowStatementsIn(stack)) {
      if (![statement.Resource].flat().includes('*')) continue;
      expect(
        actionsIn(statement).filter((action) => !Object.hasOwn(wildcardActions, action)),
        of,
      ).toEqual([]);
    }
  });

  it.each(all)('$name: lets services act for this account or for one resource only', ({ resources }) => {
    const open = resources.flatMap(({ logicalId, type, properties }) => {
      if (type === 'AWS::Lambda::Permission') {
        return properties.SourceArn === undefined && properties.SourceAccount === undefined ? [logicalId] : [];
      }
      return [...under(properties, /^Statement$/)]
        .flatMap(([, statements]) => [statements].flat())
        .filter(isAllow)
        .filter(({ Principal, Condition = {} }) => {
          if (!Principal?.Service || UNCONDITIONAL_SERVICES.has(JSON.stringify(Principal.Service))) return false;
          const keys = Object.values(Condition).flatMap((condition) => Object.keys(condition));
          return !keys.some((key) => key === 'aws:SourceAccount' || key === 'aws:SourceArn');
        })
        .map(() => logicalId);
    });
    expect(open).toEqual([]);
  });

  it.each(all)('$name: sets no condition for API Gateway, which sends none of the keys', ({ resources }) => {
    const conditions = [...under(resources, /^AssumeRolePolicyDocument$/)]
      .flatMap(([, document]) => (document as { Statement: AllowStatement[] }).Statement)
      .filter(({ Principal }) => JSON.stringify(Principal?.Service) === '"apigateway.amazonaws.com"')
      .map(({ Condition }) => Condition);
    expect(conditions.filter((condition) => condition !== undefined)).toEqual([]);
  });

  it.each(all)('$name: allows no scan and no wildcard actions', (stack) => {
    for (const { of, statement } of allowStatementsIn(stack)) {
      expect(
        actionsIn(statement).filter((action) => /Scan|PartiQL|\*/.test(action)),
        of,
      ).toEqual([]);
    }
  });
});
