import { CfnParameter, Fn, type NestedStack } from 'aws-cdk-lib';

/** CloudFormation allows 4,096 bytes per value; an ARN of a function or role has about 120. */
const VALUES_MAX = 30;

/**
 * Passes values of its parent to a nested stack in a few parameters with lists. CloudFormation allows 200 parameters, and a
 * stack has one of its own for each value that it takes from its parent otherwise.
 * @returns the place of a value in the nested stack.
 */
export const listParameters = (
  stack: NestedStack,
  name: string,
  values: readonly string[],
): ((value: string) => string) => {
  const distinct = [...new Set(values)];
  const placeOf = new Map<string, string>();
  for (let start = 0; start < distinct.length; start += VALUES_MAX) {
    const part = distinct.slice(start, start + VALUES_MAX);
    const parameter = new CfnParameter(stack, `${name}${start / VALUES_MAX}`, { type: 'CommaDelimitedList' });
    stack.setParameter(parameter.logicalId, Fn.join(',', part));
    for (const [position, value] of part.entries()) placeOf.set(value, Fn.select(position, parameter.valueAsList));
  }
  return (value) => {
    const place = placeOf.get(value);
    if (place === undefined) throw new Error(`${name} is not passed to the nested stack.`);
    return place;
  };
};
