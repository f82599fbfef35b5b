import { ofType, type SynthesizedStack, targetOf } from './synthesized.ts';

/** A policy statement of a template. */
export interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

interface Policy {
  readonly PolicyDocument: { readonly Statement: readonly Statement[] };
}

/**
 * The statements of the roles of a stack, by the logical id of the role: those in the role and those of the stack's managed
 * policies. Other policies outside of roles are not allowed.
 */
export const statementsByRole = (stack: SynthesizedStack): ReadonlyMap<string, readonly Statement[]> => {
  const outside = stack.resources.filter(({ type }) => /^AWS::IAM::(?:Policy|RolePolicy)$/.test(type));
  if (outside.length > 0) throw new Error(`${outside[0]?.logicalId} is a policy outside of its role.`);
  const managed = new Map(
    ofType(stack, 'AWS::IAM::ManagedPolicy').map(({ logicalId, properties }) => [
      logicalId,
      properties as never as Policy,
    ]),
  );
  return new Map(
    ofType(stack, 'AWS::IAM::Role').map(({ logicalId, properties: { Policies = [], ManagedPolicyArns = [] } }) => {
      const attached = (ManagedPolicyArns as readonly unknown[]).flatMap(
        (arn) => managed.get(targetOf(arn) ?? '') ?? [],
      );
      const policies = [...(Policies as readonly Policy[]), ...attached];
      return [logicalId, policies.flatMap(({ PolicyDocument }) => PolicyDocument.Statement)];
    }),
  );
};

export const statementsOf = (stack: SynthesizedStack, role: string | undefined): readonly Statement[] =>
  statementsByRole(stack).get(role ?? '') ?? [];

export const actionsIn = ({ Action }: Pick<Statement, 'Action'>): readonly string[] => [Action].flat();

/** Short names of the resources of a statement, independent of the stack. */
export const resourcesIn = ({ Resource }: Pick<Statement, 'Resource'>): readonly string[] =>
  [Resource].flat().map((resource) => {
    if (resource === '*') return '*';
    const text = JSON.stringify(resource);
    const index = /"\/index\/(\w+)"/.exec(text)?.[1];
    if (index) return `index ${index}`;
    // A function of another stack, by its construct id.
    const published = /"Ref":"(Cron\w+)Arn"/.exec(text)?.[1];
    if (published) return published;
    if (text.includes('ExportsOutputFnGetAttBus')) return 'Bus';
    if (text.includes('WebhookKey')) return 'webhook key';
    if (text.includes('Uploads')) return `uploads${/"\/(imp_\*)"/.exec(text)?.[1]?.replace(/^/, ' ') ?? ''}`;
    if (text.includes('StreamArn')) return 'stream';
    if (text.includes('GetAttTable')) return 'table';
    if (text.includes('SignInPoolId')) return 'user pool';
    if (text.includes(':configuration-set/')) return 'mailings';
    if (text.includes(':ses:')) return `sender ${/identity\/([^"]+)"/.exec(text)?.[1]}`;
    if (text.includes(':ssm:')) return `parameter ${/parameter([^"]+)"/.exec(text)?.[1]}`;
    if (text.includes(':bedrock:')) return 'model';
    return targetOf(resource)?.replace(/[0-9A-F]{8}$/, '') ?? text;
  });
