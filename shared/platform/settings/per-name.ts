/** The variable of a name: `RATE_LIMIT_VOTING` for `voting`. */
type Variable<Prefix extends string, Name extends string> = `${Prefix}_${Uppercase<Name>}`;

/** One variable for each of several names. */
export const perName = <Prefix extends string, Name extends string, Shape>(
  prefix: Prefix,
  names: readonly Name[],
  shapeOf: (name: Name) => Shape,
) =>
  Object.fromEntries(names.map((name) => [`${prefix}_${name.toUpperCase()}`, shapeOf(name)])) as Record<
    Variable<Prefix, Name>,
    Shape
  >;

/** What those variables say, by name. */
export const byName = <Prefix extends string, Name extends string, Value>(
  prefix: Prefix,
  names: readonly Name[],
  variables: Readonly<Record<Variable<Prefix, NoInfer<Name>>, Value>>,
) =>
  Object.fromEntries(
    names.map((name) => [name, variables[`${prefix}_${name.toUpperCase() as Uppercase<Name>}`]]),
  ) as Record<Name, Value>;
