/** A template as CloudFormation receives it. */
export interface RawTemplate {
  readonly Parameters?: Readonly<Record<string, { readonly Type: string; readonly Default?: string }>>;
  readonly Resources: Readonly<Record<string, RawResource>>;
  readonly Outputs?: Readonly<Record<string, RawOutput>>;
}

interface RawOutput {
  readonly Value: unknown;
  readonly Export?: { readonly Name: string };
}

interface RawResource {
  readonly Type: string;
  readonly Properties?: Readonly<Record<string, unknown>>;
  readonly DeletionPolicy?: string;
  readonly DependsOn?: readonly string[];
}

interface NestedTemplate {
  /** The construct id of the nested stack. */
  readonly id: string;
  /** The logical id of the nested stack in the template of its parent. */
  readonly logicalId: string;
  readonly template: RawTemplate;
}

/** The value that `Fn::Select` takes out of a list of values; undefined for other expressions. */
const selected = (value: object): unknown => {
  const [position, list] = (value as { 'Fn::Select'?: readonly [number, unknown] })['Fn::Select'] ?? [];
  const values = (list as { 'Fn::Join'?: readonly [string, readonly unknown[]] } | undefined)?.['Fn::Join']?.[1];
  return position === undefined ? undefined : values?.[position];
};

/** Replaces every `Ref` and `Fn::GetAtt` of a value for which `replacementOf` returns something. */
const replaceReferences = (
  value: unknown,
  replacementOf: (logicalId: string, attribute: string | undefined) => unknown,
): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => replaceReferences(one, replacementOf));
  const { Ref, 'Fn::GetAtt': attribute } = value as { Ref?: string; 'Fn::GetAtt'?: readonly [string, string] };
  const replacement =
    Ref === undefined ? attribute && replacementOf(attribute[0], attribute[1]) : replacementOf(Ref, undefined);
  if (replacement !== undefined) return replacement;
  const replaced = Object.fromEntries(
    Object.entries(value).map(([key, one]) => [key, replaceReferences(one, replacementOf)]),
  );
  return selected(replaced) ?? replaced;
};

/**
 * The resources of a stack and of its nested stacks as if they were one template: parameters and outputs of nested
 * stacks are replaced by what they stand for. A logical id that several templates have starts with the id of its stack.
 */
export const flattened = (
  parent: RawTemplate,
  nested: readonly NestedTemplate[],
): Readonly<Record<string, RawResource>> => {
  const uses = new Map<string, number>();
  for (const { Resources } of [parent, ...nested.map(({ template }) => template)]) {
    for (const name of Object.keys(Resources)) uses.set(name, (uses.get(name) ?? 0) + 1);
  }
  const distinct = (id: string, name: string): string => (uses.get(name) === 1 ? name : id + name);
  const inner = nested.map(({ id, logicalId, template }) => {
    const given = parent.Resources[logicalId]?.Properties?.Parameters as Readonly<Record<string, unknown>> | undefined;
    const outward = (value: unknown): unknown =>
      replaceReferences(value, (name, attribute) => {
        // It may be the output of another nested stack.
        if (attribute === undefined && given && name in given) return outer(given[name]);
        if (!(name in template.Resources)) return undefined;
        return attribute === undefined
          ? { Ref: distinct(id, name) }
          : { 'Fn::GetAtt': [distinct(id, name), attribute] };
      });
    return { id, logicalId, template, outward };
  });
  const outer = (value: unknown): unknown =>
    replaceReferences(value, (name, attribute) => {
      const stack = inner.find(({ logicalId }) => logicalId === name);
      const output = attribute?.replace(/^Outputs\./, '') ?? '';
      return stack?.outward(stack.template.Outputs?.[output]?.Value);
    });
  const own = Object.entries(parent.Resources)
    .filter(([logicalId]) => !inner.some((one) => one.logicalId === logicalId))
    .map(([logicalId, resource]) => [logicalId, outer(resource)] as const);
  const others = inner.flatMap(({ id, template, outward }) =>
    Object.entries(template.Resources).map(
      ([logicalId, resource]) => [distinct(id, logicalId), outward(resource)] as const,
    ),
  );
  return Object.fromEntries([...own, ...others]) as Record<string, RawResource>;
};
