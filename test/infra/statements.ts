import { ofType, type SynthesizedStack, targetOf } from './synthesized.ts';

/** A statement of a policy, as it stands in a template. */
export interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: unknown;
  readonly Condition?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The statements of a role. */
export const statementsOf = (stack: SynthesizedStack, role: string | undefined): readonly Statement[] =>
  ofType(stack, 'AWS::IAM::Policy')
    .filter(({ properties }) => (properties.Roles as readonly unknown[]).some((one) => targetOf(one) === role))
    .flatMap(({ properties }) => (properties.PolicyDocument as { Statement: readonly Statement[] }).Statement);

/** The actions of a statement. */
export const actionsIn = ({ Action }: Pick<Statement, 'Action'>): readonly string[] => [Action].flat();

/** What a statement is about, in a word or two, whatever stack it comes from. */
export const resourcesIn = ({ Resource }: Pick<Statement, 'Resource'>): readonly string[] =>
  [Resource].flat().map((resource) => {
    if (resource === '*') return '*';
    const text = JSON.stringify(resource);
    const index = /"\/index\/(\w+)"/.exec(text)?.[1];
    if (index) return `index ${index}`;
    // A function of another stack, by its name there.
    const published = /"PublishOutputFnGetAtt(Cron\w+?)[0-9A-F]{8}Arn[0-9A-F]{8}"/.exec(text)?.[1];
    if (published) return published;
    if (text.includes('ExportsOutputFnGetAttBus')) return 'Bus';
    if (text.includes('StreamArn')) return 'stream';
    if (text.includes('GetAttTable')) return 'table';
    if (text.includes(':configuration-set/')) return 'mailings';
    if (text.includes(':ses:')) return `sender ${/identity\/([^"]+)"/.exec(text)?.[1]}`;
    if (text.includes(':ssm:')) return `parameter ${/parameter([^"]+)"/.exec(text)?.[1]}`;
    if (text.includes(':bedrock:')) return 'model';
    return targetOf(resource)?.replace(/[0-9A-F]{8}$/, '') ?? text;
  });
