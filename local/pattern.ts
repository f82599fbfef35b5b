/** Exact values and prefixes, one of which must match. */
type Alternatives = readonly (string | { readonly prefix: string })[];

/** The subset of EventBridge patterns and Lambda event filters that this service uses. */
export interface Pattern {
  readonly [member: string]: Pattern | Alternatives;
}

/** Whether every member of the pattern matches the message. */
export const matches = (pattern: Pattern, message: unknown): boolean =>
  Object.entries(pattern).every(([name, wanted]) => {
    if (typeof message !== 'object' || message === null) return false;
    const value: unknown = Object.hasOwn(message, name) ? message[name as keyof typeof message] : undefined;
    if (!Array.isArray(wanted)) return matches(wanted as Pattern, value);
    return (wanted as Alternatives).some((one) =>
      typeof one === 'string' ? value === one : typeof value === 'string' && value.startsWith(one.prefix),
    );
  });
