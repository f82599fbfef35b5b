import { CfnParameter, Stack } from 'aws-cdk-lib';
import { StringParameter } from 'aws-cdk-lib/aws-ssm';
import { Construct } from 'constructs';

/**
 * A value that a stack passes to stacks deployed after it, through Parameter Store. Unlike an export it can change or
 * be removed while they use it, and unlike a weak reference (`Fn::GetStackOutput`) it is always followed: `cdk deploy`
 * never skips a stack that has it as a parameter, and CloudFormation reads the value with every update.
 */
export class SsmReference extends Construct {
  readonly #parameterName: string;

  /** @param parameterName unique within the account and region. */
  constructor(scope: Construct, id: string, parameterName: string, value: string) {
    super(scope, id);
    this.#parameterName = parameterName;
    new StringParameter(this, 'Parameter', { parameterName, stringValue: value });
  }

  /** The value in another stack, as a parameter of its template. */
  readIn(consumer: Stack): string {
    const known = consumer.node.tryFindChild(this.node.id);
    if (known instanceof CfnParameter) return known.valueAsString;
    consumer.addStackDependency(Stack.of(this));
    return new CfnParameter(consumer, this.node.id, {
      type: 'AWS::SSM::Parameter::Value<String>',
      default: this.#parameterName,
    }).valueAsString;
  }
}
