/** What a value must be like: one of the texts, or beginning with one of the prefixes. */
type Alternatives = readonly (string | { readonly prefix: string })[];

/** The part of the pattern language of EventBridge and of Lambda's event filters that this service uses. */
export interface Pattern {
  readonly [member: string]: Pattern | Alternatives;
}

/** Whether a message has every member that the pattern names, each like one of its alternatives. */
export const matches = (pattern: Pattern, message: unknown): boolean =>
  Object.entries(pattern).every(([name, wanted]) => {
    if (typeof message !== 'object' || message === null) return false;
    const value: unknown = Object.hasOwn(message, name) ? message[name as keyof typeof message] : undefined;
    if (!Array.isArray(wanted)) return matches(wanted as Pattern, value);
    return (wanted as Alternatives).some((one) =>
      typeof one === 'string' ? value === one : typeof value === 'string' && value.startsWith(one.prefix),
    );
  });
